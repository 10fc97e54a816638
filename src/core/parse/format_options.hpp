// What a reader may say about its input, besides what is in it.
#pragma once

#include <string>
#include <vector>

namespace thresher::parse {

struct FormatOptions {
    std::string format = "svmlight";
    char delimiter = ',';                  // csv
    bool decimal_comma = false;            // csv: 1,5 is a number
    std::vector<std::string> columns;      // csv: their names, from the header or generated
    std::string label;                     // csv, jsonl: the column or key of the label
    std::string weight;                    // … of the importance, if any
    std::vector<std::string> text;         // … those whose words are features
    std::vector<std::string> categorical;  // … those whose numbers are names: zip=12345
    std::vector<std::string> date;         // … those that hold dates
    std::vector<std::string> ignore;       // … and namespaces (vw): those that are not features
    std::vector<std::string> keep;         // … those whose text is kept; vw: the tag
    bool blank_lines = false;              // text: a blank line is an empty document, not nothing
};

}  // namespace thresher::parse
