# tug on a distroless Node image, as a user without rights. It has no shell and no package manager.
#
#   docker build -t tug .
#   docker run --rm -e TUG_SECRETS_ADDR -e TUG_SECRETS_TOKEN tug kv get app/db
#   docker run --rm -i -v "$PWD:/work:ro" tug job plan web.hcl
#
# This file was written without a Docker daemon at hand and has not been built yet; the digests are those that public Dockerfiles name.
# The bundle is the same for every platform.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:3638d9a6fe4030bd716be989438248074489337ba3275657f93595428be4fc03 AS build
WORKDIR /src
COPY . .
# Installing builds dist/.
RUN npm ci --no-audit --no-fund

FROM gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a
COPY --from=build /src/package.json /src/LICENSE /app/
COPY --from=build /src/bin /app/bin
COPY --from=build /src/dist /app/dist
WORKDIR /work
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/tug.js"]
