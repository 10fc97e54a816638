# The command line in a container: docker build -t thresher . && docker run --rm -v "$PWD:/data" thresher train a.csv -m m
FROM python:3.12-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --no-install-recommends --yes g++=4:12.* \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.12-slim-bookworm
COPY --from=build /wheels /wheels
# Parquet, zstd and the server; add what you need: docker build --build-arg EXTRAS=arrow,plot .
ARG EXTRAS=arrow,serve,zstd
# The wheel is the version.
# hadolint ignore=DL3013
RUN wheel=$(echo /wheels/thresher-*.whl) \
    && pip install --no-cache-dir "${wheel}[${EXTRAS}]" \
    && rm -r /wheels \
    && useradd --create-home --uid 1000 thresher
USER 1000
WORKDIR /data
ENTRYPOINT ["thresher"]
CMD ["--help"]
