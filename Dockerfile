# syntax=docker/dockerfile:1
# The suite: docker build -t svc-conformance . (docs/ci/README.md tells how to run it)

FROM node:24.21.0-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund --ignore-scripts --omit=dev

FROM node:24.21.0-slim
ENV NODE_ENV=production
COPY --from=dependencies /app /app
COPY --from=build /src/dist /app/dist
COPY LICENSE README.md /app/
COPY docs /app/docs
RUN mkdir -p /reports && chown node:node /reports
USER node
WORKDIR /reports
VOLUME ["/reports"]
STOPSIGNAL SIGTERM
# runs and ends: there is no health to ask for
HEALTHCHECK NONE
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["check"]
