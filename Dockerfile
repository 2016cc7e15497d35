# Dossier in a container: `docker build -t dossier .`, then see docs/operations.md.
#
# Nothing here needs BuildKit. The base is an argument so that the image can be built on a mirror or
# on a base of your own; it must hold Node 24 and npm.
ARG BASE=docker.io/library/node:24-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# The base brings Node, so the one that the lock names for developers is not fetched; its link would
# stand before the real one on the path of npm's scripts.
RUN npm ci --ignore-scripts --no-audit --no-fund && rm -f node_modules/.bin/node
COPY . .
RUN npm run build

FROM ${BASE} AS packages
WORKDIR /build
COPY package.json package-lock.json ./
COPY scripts/take-optional-peers.ts scripts/
# The optional peers (object storage, PostgreSQL, Redis) come along, in the versions of the lock; nothing else
# that is for developers does.
RUN node scripts/take-optional-peers.ts \
    && npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE}
LABEL org.opencontainers.image.title="Dossier" \
      org.opencontainers.image.description="Turns a list of company identifiers into company and people records" \
      org.opencontainers.image.licenses="MIT"
# On the volume. A job's own `ledger:` comes before DOSSIER_LEDGER. Registers lie in /data/dossier.
ENV NODE_ENV=production DOSSIER_LEDGER=/data/ledger.db XDG_DATA_HOME=/data
COPY --from=packages /build/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
COPY package.json CHANGELOG.md LICENSE README.md SECURITY.md /app/
COPY deploy /app/deploy
COPY docs /app/docs
COPY jobs /app/jobs
COPY fixtures/leads /app/fixtures/leads
COPY fixtures/register /app/fixtures/register
COPY fixtures/sample /app/fixtures/sample
COPY scripts/healthcheck.ts /app/scripts/healthcheck.ts
# A number, so that Kubernetes can see that it is not root. Only /data is ever written to.
RUN chmod 755 /app/dist/main.js && ln -s /app/dist/main.js /usr/local/bin/dossier \
    && mkdir /data && chown 10001:10001 /data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
# Asks `dossier serve` how it is; every other command is healthy while it runs.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["node", "/app/scripts/healthcheck.ts"]
# As a list, so that no shell stands between a signal and Dossier, which is process 1 and heeds it.
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["--help"]
