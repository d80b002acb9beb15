// Who may import whom (ARCHITECTURE.md). Proven by tools/gates/boundaries.test.ts, which plants a violation of every rule.
const { readdirSync, readFileSync, existsSync } = require('node:fs')

const S = '^apps/server/src/'
const M = `${S}modules/`
const TEST = '\\.(test|int\\.test)\\.ts$'
/** The device path from the ground up: each may import its own and those before it (ARCHITECTURE.md). */
const LAYERS = [
  [
    'uplink\\.ts',
    'message-count\\.ts',
    'lanes\\.port\\.ts',
    'stream\\.port\\.ts',
    'arrivals\\.ts',
    'channel/',
    'memory/',
    'topics/',
  ],
  ['journal/', 'feed\\.ts', 'lanes\\.ts'],
  ['codecs/'],
  ['directory/'],
  ['ota/'],
  ['transport\\.port\\.ts', 'sign-in-request\\.ts'],
  ['dialects/', 'identity/', 'presence/', 'flow-control/'],
  ['stages/'],
  ['uplink\\.pipeline\\.ts', 'downlink\\.pipeline\\.ts', 'commands/'],
  ['transports/'],
  ['formats/', 'consumers/'],
  ['gateway/'],
  ['gateway\\.ts'],
  ['process/', 'gateway\\.main\\.ts'],
]
const edges = JSON.parse(readFileSync(`${__dirname}/apps/server/src/module-graph.json`, 'utf8'))
const modules = existsSync(`${__dirname}/apps/server/src/modules`)
  ? readdirSync(`${__dirname}/apps/server/src/modules`)
  : []
/** Files with statements of their own from before they were refused; one that loses them leaves the list. */
const STATEMENTS_ELSEWHERE = [
  'app/company-jobs',
  'app/demo',
  'app/first-logins',
  'app/health-report',
  'app/live-feed',
  'app/serve',
  'modules/audit/audit.epoch',
  'modules/audit/audit.hash',
  'modules/audit/audit.verify',
  'modules/commands/commands.firmware',
  'modules/commands/commands.read-back',
  'modules/commands/commands.replies',
  'modules/device-identity/registrations.service',
  'modules/devices/devices.access',
  'modules/identity/captchas',
  'modules/identity/factors',
  'modules/identity/identity.service',
  'modules/identity/one-time-codes',
  'modules/identity/security-policy',
  'modules/operator/jobs.service',
  'modules/ota/campaigns.service',
  'modules/ota/jobs.rows',
  'modules/ota/jobs.service',
  'modules/ota/pull',
  'modules/ota/report',
  'modules/ota/reports',
  'modules/telemetry/telemetry.service',
  'modules/tenants/consents.service',
  'modules/transfer/import-rights',
  'modules/transfer/import-run',
  'modules/transfer/transfer.import',
  'modules/triggers/trigger-catalogue',
]
const rule = (name, from, to) => ({ name, severity: 'error', from, to })
const runtime = { dependencyTypesNot: ['type-only'] }

module.exports = {
  forbidden: [
    rule('no-cycles', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    // Types count here: what needs each other stands in one folder.
    rule('no-cycles-across-folders', { path: '^(.+)/[^/]+$' }, { circular: true, pathNot: '^$1/[^/]+$' }),
    rule(
      'contracts-are-leaf',
      { path: '^packages/contracts/src' },
      { path: '^(apps|tools|e2e|packages/(?!contracts))' },
    ),
    rule(
      'contracts-use-typebox-only',
      { path: '^packages/contracts/src', pathNot: TEST },
      { path: 'node_modules', pathNot: 'node_modules/typebox' },
    ),
    rule(
      'packages-are-pure',
      { path: '^packages/(thing-model|rules|scene)/src', pathNot: TEST },
      { path: '^(apps|tools|e2e)|node_modules|^(fs|net|http|https|child_process|node:)' },
    ),
    rule(
      'schedules-know-croner-only',
      { path: '^packages/schedules/src', pathNot: TEST },
      {
        path: '^(apps|tools|e2e|packages/(?!schedules))|node_modules/(?!croner/)|^(fs|net|http|https|child_process|node:)',
      },
    ),
    rule('sdk-knows-no-server', { path: '^packages/device-sdk/src' }, { path: '^(apps|tools|e2e)' }),
    rule('lib-is-bottom', { path: `${S}lib/`, pathNot: TEST }, { path: `${S}(app|modules|ingest|adapters|db)/` }),
    // Tests use the real adapter rather than one of their own.
    rule('only-app-wires-adapters', { path: S, pathNot: `(${S}(app|adapters)/|${TEST})` }, { path: `${S}adapters/` }),
    rule(
      'adapters-see-ports-only',
      { path: `${S}adapters/` },
      { path: `${S}(app|ingest|modules|db)/`, pathNot: '\\.port\\.ts$' },
    ),
    rule(
      'adapters-are-strangers',
      { path: `${S}adapters/([^/]+/[^/]+)/` },
      { path: `${S}adapters/`, pathNot: `${S}adapters/$1/` },
    ),
    rule('modules-dont-know-ingest', { path: M, pathNot: TEST }, { path: `${S}(ingest|app|db)/` }),
    rule('ingest-dont-know-app', { path: `${S}ingest/`, pathNot: `(${TEST}|/testing)` }, { path: `${S}(app|db)/` }),
    ...LAYERS.flatMap((layer, i) => {
      const above = LAYERS.slice(i + 1).flat()
      if (above.length === 0) return []
      return rule(
        `ingest-points-down:${layer[0].replace(/[\\\\/]/g, '')}`,
        { path: `${S}ingest/(${layer.join('|')})`, pathNot: `(${TEST}|/testing)` },
        { path: `${S}ingest/(${above.join('|')})` },
      )
    }),
    rule(
      'ingest-has-no-attic',
      { path: `${S}ingest/`, pathNot: `(${TEST}|/testing|${S}ingest/(${LAYERS.flat().join('|')}))` },
      { path: '.' },
    ),
    rule(
      'module-front-door',
      { path: `${M}([^/]+)/` },
      { path: `${M}([^/]+)/`, pathNot: [`${M}$1/`, `${M}[^/]+/index\\.ts$`, `${M}[^/]+/[^/]+\\.(views|port)\\.ts$`] },
    ),
    // A port says what is asked of others, so everybody may know it: it needs nobody to be understood.
    rule(
      'ports-need-nobody',
      { path: `${M}.*\\.port\\.ts$` },
      { path: `${S}(app|modules|ingest|adapters|db)/`, pathNot: '\\.port\\.ts$' },
    ),
    rule(
      'ingest-front-door',
      { path: `${S}ingest/` },
      { path: `${M}[^/]+/`, pathNot: [`${M}[^/]+/index\\.ts$`, '\\.port\\.ts$'] },
    ),
    ...modules.map(m =>
      rule(
        `declared-edges:${m}`,
        { path: `${M}${m}/`, pathNot: TEST },
        { path: `${M}[^/]+/`, pathNot: [`${M}(${[m, ...(edges[m] ?? [])].join('|')})/`, '\\.port\\.ts$'] },
      ),
    ),
    rule(
      'sql-only-in-repos',
      { path: M, pathNot: `(\\.(repo|views)\\.ts|${TEST})$` },
      { path: 'node_modules/(pg|drizzle-orm|pg-copy-streams)/', ...runtime },
    ),
    rule(
      'statements-only-in-repos',
      {
        path: `${S}(app|modules|adapters)/`,
        pathNot: `(\\.(repo|views)\\.ts|${TEST}|/testing.*|${S}(${STATEMENTS_ELSEWHERE.map(file => file.replaceAll('.', '\\.')).join('|')})\\.ts)$`,
      },
      { path: `${S}lib/sql/statement\\.ts$`, ...runtime },
    ),
    // Telemetry carries no company: whoever reads it shows that devices.access checked the device.
    rule(
      'only-devices-authorise',
      { path: S, pathNot: `(${M}devices/devices\\.access\\.ts|${TEST})$` },
      { path: `${M}devices/authorised\\.port\\.ts$`, ...runtime },
    ),
    rule(
      'http-only-in-app',
      { path: S, pathNot: `(${S}app/.*|${TEST})$` },
      { path: 'node_modules/fastify/', ...runtime },
    ),
    rule(
      'features-are-strangers',
      { path: '^apps/web/src/features/([^/]+)/' },
      { path: '^apps/web/src/features/([^/]+)/', pathNot: '^apps/web/src/features/$1/' },
    ),
    rule('web-shared-is-bottom', { path: '^apps/web/src/(lib|ui)/' }, { path: '^apps/web/src/(app|features)/' }),
    rule('features-dont-know-app', { path: '^apps/web/src/features/' }, { path: '^apps/web/src/app/' }),
    rule('web-never-server', { path: '^apps/web' }, { path: '^apps/server' }),
    rule(
      'web-sees-contracts-as-types',
      { path: '^apps/web/src', pathNot: '(\\.test\\.tsx?|^apps/web/src/app/testing/.*)$' },
      {
        path: '^packages/contracts/src',
        // Plain values and sums that import nothing; contrast must come out the same on both sides.
        pathNot:
          '/(web-routes|permissions|end-user-routes|live-topics|api-paths|open-paths|errors|contrast|module-words|[\\w-]+\\.words)\\.ts$',
        ...runtime,
      },
    ),
    // Keys of the cache are made in one place, or what one page changes another would go on showing as it was.
    rule(
      'web-data-through-its-hooks',
      {
        path: '^apps/web/src/',
        pathNot:
          '^apps/web/src/(lib/server-state/|lib/query-client\\.ts$|app/layout/console-frame\\.tsx$)|\\.test\\.tsx?$',
      },
      { path: 'node_modules/@tanstack/' },
    ),
    // They stand outside the console's frame (no access, not activated, maintenance): there is no cache to ask.
    rule(
      'pages-without-frame-have-no-cache',
      { path: '^apps/web/src/app/pages/' },
      { path: '^apps/web/src/(lib/server-state/|lib/query-client\\.ts$)' },
    ),
    rule('words-import-nothing', { path: '^packages/contracts/src/[\\w-]+\\.words\\.ts$' }, { path: '.' }),
    rule('no-typebox-in-web', { path: '^apps/web' }, { path: 'node_modules/typebox', ...runtime }),
    rule(
      'tools-speak-the-wire',
      { path: '^(tools|e2e)/', pathNot: '^tools/gates/' },
      { path: '^apps/', pathNot: 'seeds/demo/catalogue' },
    ),
    rule(
      'no-undeclared-npm',
      { path: '^(apps|packages|tools|e2e)/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    // The address of a file (`?url`) is resolved by the bundler alone; its build fails when the file is missing.
    rule('no-unresolvable', { path: '^(apps|packages|tools|e2e)/' }, { couldNotResolve: true, pathNot: '\\?url$' }),
  ],
  options: {
    // Counts that no rule asks for.
    skipAnalysisNotInRules: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: '(^|/)(\\.tsbuild|dist|data)/',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
}
