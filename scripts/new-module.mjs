// npm run new-module -- NAME: a vertical slice with the grammar of all others. Existing files are never touched.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fail, root } from './lib.mjs'

const name = process.argv[2] ?? ''
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*s$/.test(name))
  fail('Usage: npm run new-module -- NAME, a plural noun of the domain in kebab-case (pumps, sim-cards)')
const target = process.argv[3] ? join(process.argv[3]) : root
const plural = name.replace(/-(\w)/g, (_, c) => c.toUpperCase())
const singular = plural.replace(/ies$/, 'y').replace(/s$/, '')
const Plural = plural[0].toUpperCase() + plural.slice(1)
const Singular = singular[0].toUpperCase() + singular.slice(1)
const table = name.replaceAll('-', '_')

const FILES = {
  [`packages/contracts/src/${name}.contract.ts`]: `import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name } from './common.ts'
import { route } from './route.ts'

export const ${Singular}View = Type.Object({ id: Id, name: Type.String(), version: Type.Integer(), createdAt: IsoTime })
export type ${Singular}View = Static<typeof ${Singular}View>

export const ${plural}Contract = {
  list: route({
    method: 'GET',
    path: '/api/v1/${name}',
    tag: '${Plural}',
    summary: '${Plural} of the company',
    permission: 'device:read',
    query: Type.Object({ ...listQuery }),
    response: listOf(${Singular}View),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/${name}',
    tag: '${Plural}',
    summary: 'Adds a ${singular}',
    permission: 'device:write',
    audit: '${singular}.create',
    status: 201,
    body: Type.Object({ name: Name }, { additionalProperties: false }),
    response: ${Singular}View,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/${name}/{id}',
    tag: '${Plural}',
    summary: 'One ${singular}',
    permission: 'device:read',
    params: IdParams,
    response: ${Singular}View,
  }),
}
`,
  [`apps/server/src/modules/${name}/index.ts`]: `export { create${Plural}Module, type ${Plural}Module } from './${name}.module.ts'
export type { ${Plural}Service } from './${name}.service.ts'
`,
  [`apps/server/src/modules/${name}/${name}.module.ts`]: `import type { Database } from '../../lib/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { ${plural}Routes } from './${name}.routes.ts'
import { create${Plural}Service, type ${Plural}Service } from './${name}.service.ts'

export interface ${Plural}Module {
  service: ${Plural}Service
  routes: BoundRoute[]
}

export function create${Plural}Module(deps: { database: Database }): ${Plural}Module {
  const service = create${Plural}Service(deps)
  return { service, routes: ${plural}Routes(service) }
}
`,
  [`apps/server/src/modules/${name}/${name}.routes.ts`]: `import { ${plural}Contract } from '@thingwright/contracts/${name}.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { ${Plural}Service } from './${name}.service.ts'

export function ${plural}Routes(${plural}: ${Plural}Service): BoundRoute[] {
  return [
    bind(${plural}Contract.list, (ctx, { query }) => ${plural}.list(ctx, query)),
    bind(${plural}Contract.create, (ctx, { body }) => ${plural}.create(ctx, body)),
    bind(${plural}Contract.get, (ctx, { params }) => ${plural}.get(ctx, params.id)),
  ]
}
`,
  [`apps/server/src/modules/${name}/${name}.service.ts`]: `import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { ${Singular}View, ${plural}Contract } from '@thingwright/contracts/${name}.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor } from '../../lib/paging.ts'
import * as repo from './${name}.repo.ts'

type Contract = typeof ${plural}Contract

export interface ${Plural}Service {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<{ items: ${Singular}View[]; nextCursor: string | null }>
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<${Singular}View>
  /** @throws AppError request.not_found also for another company's ${singular} */
  get(ctx: Ctx, id: string): Promise<${Singular}View>
}

export function create${Plural}Service({ database }: { database: Database }): ${Plural}Service {
  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const after = decodeCursor(input.cursor, 1)?.[0] as string | undefined
        const rows = await repo.list(scope, limit + 1, after)
        const page = rows.slice(0, limit)
        return { items: page.map(toView), nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.id]) : null }
      }),
    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.insert(scope, newId(ctx.now), input.name)
        await recordAudit(scope, ctx, { action: '${singular}.create', objectType: '${singular}', objectId: row.id, objectName: row.name, after: { name: row.name } })
        return toView(row)
      }),
    get: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.find(scope, id)
        if (!row) throw new AppError('request.not_found')
        return toView(row)
      }),
  }
}

function toView(row: repo.${Singular}Row): ${Singular}View {
  return { id: row.id, name: row.name, version: row.version, createdAt: row.created_at.toISOString() }
}
`,
  [`apps/server/src/modules/${name}/${name}.repo.ts`]: `import type { TenantScope } from '../../lib/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface ${Singular}Row {
  id: string
  name: string
  version: number
  created_at: Date
}

const COLUMNS = part\`id, name, version, created_at\`

const LIST = sql<${Singular}Row>\`select \${COLUMNS} from ${table} where $2::uuid is null or id < $2 order by id desc limit $1\`

/** Newest first; ids are ordered by time. */
export async function list(scope: TenantScope, limit: number, after: string | undefined): Promise<${Singular}Row[]> {
  return (await scope.run(LIST, [limit, after ?? null])).rows
}

const INSERT = sql<${Singular}Row>\`insert into ${table} (id, tenant_id, name) values ($1, $2, $3) returning \${COLUMNS}\`

export async function insert(scope: TenantScope, id: string, name: string): Promise<${Singular}Row> {
  return (await scope.run(INSERT, [id, scope.tenantId, name])).rows[0]!
}

const FIND = sql<${Singular}Row>\`select \${COLUMNS} from ${table} where id = $1\`

export async function find(scope: TenantScope, id: string): Promise<${Singular}Row | null> {
  return (await scope.run(FIND, [id])).rows[0] ?? null
}
`,
}

const existing = Object.keys(FILES).filter(file => existsSync(join(target, file)))
if (existing.length) fail(`Already there: ${existing.join(', ')}`)
for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  writeFileSync(join(target, file), text)
}
const graph = join(target, 'apps/server/src/module-graph.json')
const edges = JSON.parse(readFileSync(graph, 'utf8'))
edges[name] = []
writeFileSync(
  graph,
  `${JSON.stringify(Object.fromEntries(Object.entries(edges).sort(([a], [b]) => a.localeCompare(b))), null, 2)}\n`,
)

process.stdout.write(`Made ${name}. Still to do:
  1. a migration in apps/server/src/db/migrations with the table ${table} (id, tenant_id, name, version, created_at), its policies and grants; its owner in apps/server/src/table-owners.json
  2. ${plural}Contract in packages/contracts/src/index.ts and all-contracts.ts, then npx tsx packages/contracts/scripts/api-paths.ts
  3. its own permissions in packages/contracts/src/permissions.ts
  4. create${Plural}Module in apps/server/src/app/container.ts
  5. npx biome check --write .
`)
