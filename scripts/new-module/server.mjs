// Files of a new module outside the console: contract, server, migration, tool, content of the demo, test.

/** @param n as of names.mjs @param {string} migration number of the migration, four digits */
export function serverFiles(n, migration) {
  const { name, plural, Plural, Singular, table, object, CONSTANT, words, Words, path } = n
  const folder = `apps/server/src/modules/${name}`
  return {
    [`packages/contracts/src/${name}.contract.ts`]: `import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name } from './common.ts'
import { route } from './route.ts'

export const ${Singular}View = Type.Object({ id: Id, name: Type.String(), version: Type.Integer(), createdAt: IsoTime })
export type ${Singular}View = Static<typeof ${Singular}View>

export const ${plural}Contract = {
  list: route({
    method: 'GET',
    path: '/api/v1/${name}',
    tag: '${Words}',
    summary: '${Words} of the company, the newest first',
    permission: 'device:read',
    query: Type.Object({ ...listQuery }),
    response: listOf(${Singular}View),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/${name}',
    tag: '${Words}',
    summary: 'Adds one',
    permission: 'device:write',
    audit: '${object}.create',
    status: 201,
    body: Type.Object({ name: Name }, { additionalProperties: false }),
    response: ${Singular}View,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/${name}/{id}',
    tag: '${Words}',
    summary: 'One of them',
    permission: 'device:read',
    params: IdParams,
    response: ${Singular}View,
  }),
}
`,
    [`apps/server/src/db/migrations/${migration}_${table}.sql`]: `-- ${Words} of a company.
create table ${table} (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  version int not null default 1,
  created_at timestamptz not null default now()
);
create index ${table}_tenant_idx on ${table} (tenant_id, id);
alter table ${table} enable row level security;
create policy tenant_own on ${table} to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on ${table} to :system using (true) with check (true);
grant select, insert, update, delete on ${table} to :app, :system;
`,
    [`${folder}/index.ts`]: `export { ${plural}Module } from './${name}.module.ts'
`,
    [`${folder}/${name}.module.ts`]: `import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { ModuleDefinition, ModuleParts } from '../../lib/module.ts'
import { ${plural}Routes } from './${name}.routes.ts'
import { create${Plural}Service, type ${Plural}Service } from './${name}.service.ts'
import { ${plural}Tools } from './${name}.tools.ts'

export interface ${Plural}Needs {
  database: Database
}

export interface ${Plural}Module extends ModuleParts {
  service: ${Plural}Service
  routes: BoundRoute[]
}

export function create${Plural}Module(needs: ${Plural}Needs): ${Plural}Module {
  const service = create${Plural}Service(needs)
  return { service, routes: ${plural}Routes(service) }
}

export const ${plural}Module: ModuleDefinition<${Plural}Needs> = {
  name: '${name}',
  tools: ${plural}Tools,
  create: create${Plural}Module,
  async seedDemo(database, tenantId) {
    const ctx = systemContext(tenantId, 'demo')
    const { service } = create${Plural}Module({ database })
    if ((await service.list(ctx, { limit: 1 })).items.length > 0) return
    for (const name of ['Example 1', 'Example 2']) await service.create(ctx, { name })
  },
}
`,
    [`${folder}/${name}.routes.ts`]: `import { ${plural}Contract } from '@thingwright/contracts/${name}.contract'
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
    [`${folder}/${name}.service.ts`]: `import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { ${plural}Contract, ${Singular}View } from '@thingwright/contracts/${name}.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor } from '../../lib/lists/paging.ts'
import * as repo from './${name}.repo.ts'

type Contract = typeof ${plural}Contract

export interface ${Plural}Service {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<{ items: ${Singular}View[]; nextCursor: string | null }>
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<${Singular}View>
  /** @throws AppError request.not_found also for another company's */
  get(ctx: Ctx, id: string): Promise<${Singular}View>
}

export function create${Plural}Service({ database }: { database: Database }): ${Plural}Service {
  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const after = decodeCursor(input.cursor, 1)?.[0] as string | undefined
        const rows = await repo.list(scope, limit + 1, after ?? null, input.q?.trim() ?? '')
        const page = rows.slice(0, limit)
        return { items: page.map(toView), nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.id]) : null }
      }),
    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.insert(scope, newId(ctx.now), input.name)
        await recordAudit(scope, ctx, { action: '${object}.create', objectType: '${object}', objectId: row.id, objectName: row.name, after: { name: row.name } })
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
    [`${folder}/${name}.repo.ts`]: `import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface ${Singular}Row {
  id: string
  name: string
  version: number
  created_at: Date
}

const COLUMNS = part\`id, name, version, created_at\`

const LIST_${CONSTANT} = sql<${Singular}Row>\`select \${COLUMNS} from ${table}
  where ($2::uuid is null or id < $2) and position(lower($3) in lower(name)) > 0 order by id desc limit $1\`

/** Newest first: ids are ordered by time. @param after id of the last row of the page before */
export async function list(scope: TenantScope, limit: number, after: string | null, q: string): Promise<${Singular}Row[]> {
  return (await scope.run(LIST_${CONSTANT}, [limit, after, q])).rows
}

const INSERT_${CONSTANT} = sql<${Singular}Row>\`insert into ${table} (id, tenant_id, name) values ($1, $2, $3) returning \${COLUMNS}\`

export async function insert(scope: TenantScope, id: string, name: string): Promise<${Singular}Row> {
  return (await scope.run(INSERT_${CONSTANT}, [id, scope.tenantId, name])).rows[0]!
}

const FIND_${CONSTANT} = sql<${Singular}Row>\`select \${COLUMNS} from ${table} where id = $1\`

export async function find(scope: TenantScope, id: string): Promise<${Singular}Row | null> {
  return (await scope.run(FIND_${CONSTANT}, [id])).rows[0] ?? null
}
`,
    [`${folder}/${name}.tools.ts`]: `import { ${plural}Contract } from '@thingwright/contracts/${name}.contract'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './${name}.tools.json' with { type: 'json' }

const list${Plural} = defineTool({
  name: 'list_${table}',
  class: 'read',
  permission: 'device:read',
  description: '${Words} of the company, the newest first.',
  input: Type.Object(
    { q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the name' })) },
    { additionalProperties: false },
  ),
  words: words.list_${table},
  async run(t, { q }) {
    const { items } = await t.call(${plural}Contract.list, { query: q === undefined ? {} : { q } })
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    return {
      text: t.say('count', { count: items.length }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [{ key: 'Name', title: t.say('colName') }],
          rows: items.map(item => ({ Name: { text: item.name } })),
          link: { title: t.say('page'), to: '${path}' },
        },
      ],
      data: { items: items.map(item => ({ name: item.name })) },
    }
  },
})

export const ${plural}Tools: readonly Tool[] = [list${Plural}]
`,
    [`${folder}/${name}.tools.json`]: `${JSON.stringify(
      {
        [`list_${table}`]: {
          title: { zh: `查询 ${words}`, en: `List ${words}` },
          phrases: {
            zh: [`(查询|查看|显示|列出)[我们|公司|所有|全部][的][ ]${words}`, `(有哪些|有多少)[ ]${words}`],
            en: [`(list|show|view) [me] [all] [the|our] ${words}`, `(which|what) ${words} (are there|do we have)`],
          },
          texts: {
            title: { zh: words, en: Words },
            page: { zh: '打开页面', en: 'Open the page' },
            count: { zh: `共有 {count} 个 ${words}。`, en: `There are {count} ${words}.` },
            none: { zh: `没有 ${words}。`, en: `There are no ${words}.` },
            colName: { zh: '名称', en: 'Name' },
          },
        },
      },
      null,
      2,
    )}
`,
    [`${folder}/${name}.int.test.ts`]: `import { beforeAll, describe, expect, it } from 'vitest'
import { company, type Management, management } from '../../db/testing/management.ts'
import { create${Plural}Module, type ${Plural}Module, ${plural}Module } from './${name}.module.ts'

let m: Management
let ${plural}: ${Plural}Module
beforeAll(async () => {
  m = await management()
  ${plural} = create${Plural}Module({ database: m.database })
})

describe('${words}', () => {
  it('come page by page, the newest first, and are found by a part of their names', async () => {
    const own = await company(m.db)
    for (const name of ['first', 'second', 'third']) await ${plural}.service.create(own.ctx, { name })
    const page = await ${plural}.service.list(own.ctx, { limit: 2 })
    expect(page.items.map(item => item.name)).toEqual(['third', 'second'])
    const rest = await ${plural}.service.list(own.ctx, { limit: 2, cursor: page.nextCursor! })
    expect(rest).toMatchObject({ items: [{ name: 'first' }], nextCursor: null })
    expect((await ${plural}.service.list(own.ctx, { q: 'SEC' })).items.map(item => item.name)).toEqual(['second'])
  })

  it('belong to one company, and leave a line in its operation log', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const made = await ${plural}.service.create(own.ctx, { name: 'mine' })
    expect(await ${plural}.service.get(own.ctx, made.id)).toEqual(made)
    await expect(${plural}.service.get(other.ctx, made.id)).rejects.toMatchObject({ code: 'request.not_found' })
    const { rows } = await m.db.superuser.query('select action from audit_logs where object_id = $1', [made.id])
    expect(rows).toEqual([{ action: '${object}.create' }])
  })

  it('are there in the demo company, once', async () => {
    const { ctx } = await company(m.db)
    for (const _ of [1, 2]) await ${plural}Module.seedDemo?.(m.database, ctx.tenantId)
    expect((await ${plural}.service.list(ctx, {})).items).toHaveLength(2)
  })
})
`,
  }
}
