# Shopbell for containers; docs/hosting/docker.md says how to run it.
#
# Node by its tag, without a digest: each build takes the security updates of Node 24 and of Debian, for nothing here would
# renew a digest. The packages are fixed all the same: package-lock.json has a hash of each.
FROM node:24-slim AS build
WORKDIR /opt/shopbell
COPY .npmrc package.json package-lock.json ./
# The development packages stay out, and with them `node`, which brings a second Node.
RUN npm ci --omit=dev && install -d -o node -g node node_modules/.cache
COPY commands commands/
COPY src src/
# Without settings the start ends with exit code 1, and leaves what it compiled, which makes later starts faster. Node keeps
# that for each user apart, and closed to others.
USER node
RUN node --max-semi-space-size=2 --heap-growing-percent=30 --no-allocation-site-pretenuring src/start.js || test $? -eq 1
USER root
RUN chmod -R a+rX node_modules/.cache

FROM node:24-slim
LABEL org.opencontainers.image.title="Shopbell" org.opencontainers.image.version="1.0.0" org.opencontainers.image.licenses="MIT"
WORKDIR /opt/shopbell
# All of it belongs to root: the process cannot write its own code.
COPY LICENSE package.json ./
COPY --from=build --chown=0:0 /opt/shopbell/node_modules node_modules/
COPY commands commands/
COPY src src/
RUN install -d -o node -g node -m 0700 data
USER node
VOLUME /opt/shopbell/data
# Asks the process itself where HTTP_PORT is set. Where it is not, a container whose process runs counts as healthy.
HEALTHCHECK --interval=30s --timeout=10s CMD ["node", "-e", "const { HTTP_HOST, HTTP_PORT } = process.env; if (HTTP_PORT?.trim()) http.get({ host: HTTP_HOST?.trim() || '127.0.0.1', port: HTTP_PORT.trim(), path: '/healthz' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# glibc keeps less memory that is free.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
# Without a shell or npm in between, so that SIGTERM reaches the process.
CMD ["node", "--max-semi-space-size=2", "--heap-growing-percent=30", "--no-allocation-site-pretenuring", "src/start.js"]
