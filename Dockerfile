# The operator and, in the same image, the agent that it puts into the pods.
# Both are static. make docker-build makes the same image without a daemon.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY main.go options.go cluster.go ./
COPY api api
COPY cmd cmd
COPY config/crd config/crd
COPY controllers controllers
COPY internal internal
ENV CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH
RUN go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/manager . \
 && go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/agent ./cmd/agent

FROM scratch
COPY --from=build /out/manager /out/agent /
USER 65532:65532
ENTRYPOINT ["/manager"]
