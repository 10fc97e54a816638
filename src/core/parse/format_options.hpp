// What a reader may say about its input, besides what is in it.
#pragma once

#include <string>
#include <vector>

namespace thresher::parse {

struct FormatOptions {
    std::string format = "svmlight";
    char delimiter = ',';                  // csv
    std::vector<std::string> columns;      // csv: their names, from the header or generated
    std::string label;                     // csv, jsonl: the column or key of the label
    std::string weight;                    // … of the importance, if any
    std::vector<std::string> text;         // … those whose words are features
    std::vector<std::string> categorical;  // … those whose numbers are names: zip=12345
};

}  // namespace thresher::parse
