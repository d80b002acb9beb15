// Files of a new module outside the console: contract, server, migration, tool, content of the demo, test.

/** @param n as of names.mjs @param {string} migration number of the migration, four digits */
export function serverFiles(n, migration) {
  const { name, plural, Plural, Singular, table, object, CONSTANT, words, Words, zh, path, right, children, consumer } =
    n
  const folder = `apps/server/src/modules/${name}`
  return {
    [`packages/contracts/src/${name}.contract.ts`]: `import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Ok, Version } from './common.ts'
import { route } from './route.ts'

export const ${Singular}View = Type.Object({ id: Id, name: Type.String(), version: Type.Integer(), createdAt: IsoTime })
export type ${Singular}View = Static<typeof ${Singular}View>
${children
  .map(
    child => `
export const ${Singular}${child.Singular}View = Type.Object({ id: Id, text: Type.String(), createdAt: IsoTime })
export type ${Singular}${child.Singular}View = Static<typeof ${Singular}${child.Singular}View>
`,
  )
  .join('')}
export const ${plural}Contract = {
  list: route({
    method: 'GET',
    path: '/api/v1/${name}',
    tag: '${Words}',
    summary: '${Words} of the company, the newest first',
    permission: '${right}:read',
    query: Type.Object({ ...listQuery }),
    response: listOf(${Singular}View),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/${name}',
    tag: '${Words}',
    summary: 'Adds one',
    permission: '${right}:write',
    audit: '${object}.create',
    status: 201,
    body: Type.Object({ name: Name }, { additionalProperties: false }),
    example: { body: { name: 'North' } },
    response: ${Singular}View,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/${name}/{id}',
    tag: '${Words}',
    summary: 'One of them',
    permission: '${right}:read',
    params: IdParams,
    response: ${Singular}View,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/${name}/{id}',
    tag: '${Words}',
    summary: 'Renames one',
    permission: '${right}:write',
    audit: '${object}.update',
    params: IdParams,
    body: Type.Object({ version: Version, name: Name }, { additionalProperties: false }),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', name: 'South' } },
    response: ${Singular}View,
  }),
${children
  .map(
    child => `  list${child.Plural}: route({
    method: 'GET',
    path: '/api/v1/${name}/{id}/${child.plural}',
    tag: '${Words}',
    summary: 'What belongs to one of them, the newest first',
    permission: '${right}:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(${Singular}${child.Singular}View) }),
  }),
  add${child.Singular}: route({
    method: 'POST',
    path: '/api/v1/${name}/{id}/${child.plural}',
    tag: '${Words}',
    summary: 'Adds to one of them',
    permission: '${right}:write',
    audit: '${object}.add',
    status: 201,
    params: IdParams,
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false }),
    example: { params: { id: '{{create.id}}' }, body: { text: 'Oiled' } },
    response: ${Singular}${child.Singular}View,
  }),
`,
  )
  .join('')}  remove: route({
    method: 'DELETE',
    path: '/api/v1/${name}/{id}',
    tag: '${Words}',
    summary: 'Removes one and what belongs to it',
    permission: '${right}:write',
    audit: '${object}.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
`,
    [`packages/contracts/src/${name}.module.ts`]: moduleFacts(n),
    [`packages/contracts/words/${name}.json`]: moduleWords(n),
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
${children.map(child => childTable(n, child)).join('')}`,
    [`${folder}/index.ts`]: `export { ${plural}Module } from './${name}.module.ts'
`,
    [`${folder}/${name}.module.ts`]: `import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
${consumer ? "import type { JournalReader } from '../../lib/journal/journal-reader.ts'\n" : ''}import { defineModule, type ModuleParts } from '../../lib/module.ts'
${consumer ? `import { create${Plural}Reader } from './${name}.reader.ts'\n` : ''}import { ${plural}Routes } from './${name}.routes.ts'
import { create${Plural}Service, type ${Plural}Service } from './${name}.service.ts'
import { ${plural}Tools } from './${name}.tools.ts'

export interface ${Plural}Needs {
  database: Database
}

export interface ${Plural}Module extends ModuleParts {
  service: ${Plural}Service
  routes: BoundRoute[]
${consumer ? '  consumers: readonly JournalReader[]\n' : ''}}

export function create${Plural}Module(needs: ${Plural}Needs): ${Plural}Module {
  const service = create${Plural}Service(needs)
${consumer ? `  const reader = create${Plural}Reader()\n` : ''}  return {
    service,
    routes: ${plural}Routes(service),
    search: [found(service)],
${consumer ? '    consumers: [reader],\n    gauges: async () => reader.gauges(),\n' : ''}  }
}

const found = (service: ${Plural}Service): SearchSource => ({
  kind: '${object}',
  permission: '${right}:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: item.name,
      subtitle: '',
      link: \`${n.detail ? `${n.detail}?id=\${item.id}` : `${path}?q=\${encodeURIComponent(item.name)}`}\`,
    })),
})

export const ${plural}Module = defineModule({
  name: '${name}',
  tools: ${plural}Tools,
  create: create${Plural}Module,
  async seedDemo(database: Database, tenantId: string) {
    const ctx = systemContext(tenantId, 'demo')
    const { service } = create${Plural}Module({ database })
    if ((await service.list(ctx, { limit: 1 })).items.length > 0) return
    for (const name of ['Example 1', 'Example 2']) ${
      children.length > 0
        ? `{
      const { id } = await service.create(ctx, { name })
${children.map(child => `      await service.add${child.Singular}(ctx, id, { text: 'Example' })\n`).join('')}    }`
        : 'await service.create(ctx, { name })'
    }
  },
})
`,
    ...(consumer ? { [`${folder}/${name}.reader.ts`]: reader(n) } : {}),
    [`${folder}/${name}.routes.ts`]: `import { ${plural}Contract } from '@thingwright/contracts/${name}.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { ${Plural}Service } from './${name}.service.ts'

export function ${plural}Routes(${plural}: ${Plural}Service): BoundRoute[] {
  return [
    bind(${plural}Contract.list, (ctx, { query }) => ${plural}.list(ctx, query)),
    bind(${plural}Contract.create, (ctx, { body }) => ${plural}.create(ctx, body)),
    bind(${plural}Contract.get, (ctx, { params }) => ${plural}.get(ctx, params.id)),
    bind(${plural}Contract.update, (ctx, { params, body }) => ${plural}.update(ctx, params.id, body)),
${children
  .map(
    child => `    bind(${plural}Contract.list${child.Plural}, (ctx, { params }) => ${plural}.list${child.Plural}(ctx, params.id)),
    bind(${plural}Contract.add${child.Singular}, (ctx, { params, body }) => ${plural}.add${child.Singular}(ctx, params.id, body)),
`,
  )
  .join('')}    bind(${plural}Contract.remove, (ctx, { params }) => ${plural}.remove(ctx, params.id)),
  ]
}
`,
    [`${folder}/${name}.service.ts`]: `import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { ${plural}Contract, ${Singular}View${children.map(child => `, ${Singular}${child.Singular}View`).join('')} } from '@thingwright/contracts/${name}.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
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
  /** @throws AppError request.not_found, version.conflict */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<${Singular}View>
${children
  .map(
    child => `  list${child.Plural}(ctx: Ctx, id: string): Promise<{ items: ${Singular}${child.Singular}View[] }>
  add${child.Singular}(ctx: Ctx, id: string, input: BodyOf<Contract['add${child.Singular}']>): Promise<${Singular}${child.Singular}View>
`,
  )
  .join('')}  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
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
        return toView(await known(scope, id))
      }),
    update: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const row = await repo.rename(scope, id, input.version, input.name)
        if (!row) throw new AppError('version.conflict', { params: { current: toView(before) } })
        await recordAudit(scope, ctx, { action: '${object}.update', objectType: '${object}', objectId: id, objectName: row.name, before: { name: before.name }, after: { name: row.name } })
        return toView(row)
      }),
${children
  .map(
    child => `    list${child.Plural}: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await known(scope, id)
        const rows = await repo.list${child.Plural}(scope, id)
        return { items: rows.map(row => ({ id: row.id, text: row.text, createdAt: row.created_at.toISOString() })) }
      }),
    add${child.Singular}: (ctx, id, { text }) =>
      database.withTenant(ctx, async scope => {
        const { name } = await known(scope, id)
        const row = await repo.insert${child.Singular}(scope, newId(ctx.now), id, text)
        await recordAudit(scope, ctx, { action: '${object}.add', objectType: '${object}', objectId: id, objectName: name, after: { text } })
        return { id: row.id, text: row.text, createdAt: row.created_at.toISOString() }
      }),
`,
  )
  .join('')}    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const { name } = await known(scope, id)
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, { action: '${object}.remove', objectType: '${object}', objectId: id, objectName: name, before: { name } })
        return { ok: true }
      }),
  }
}

async function known(scope: TenantScope, id: string): Promise<repo.${Singular}Row> {
  const row = await repo.find(scope, id)
  if (!row) throw new AppError('request.not_found')
  return row
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

const RENAME_${CONSTANT} = sql<${Singular}Row>\`update ${table} set name = $3, version = version + 1 where id = $1 and version = $2 returning \${COLUMNS}\`

/** @returns null when it has another version by now */
export async function rename(scope: TenantScope, id: string, version: number, name: string): Promise<${Singular}Row | null> {
  return (await scope.run(RENAME_${CONSTANT}, [id, version, name])).rows[0] ?? null
}

const REMOVE_${CONSTANT} = sql\`delete from ${table} where id = $1\`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE_${CONSTANT}, [id])
}
${children.map(child => childRepo(n, child)).join('')}`,
    [`${folder}/${name}.tools.ts`]: `import { ${plural}Contract } from '@thingwright/contracts/${name}.contract'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './${name}.tools.json' with { type: 'json' }

const list${Plural} = defineTool({
  name: 'list_${table}',
  class: 'read',
  permission: '${right}:read',
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
          title: { zh: `查询${zh}`, en: `List ${words}` },
          phrases: {
            zh: [`(查询|查看|显示|列出)[我们|公司|所有|全部][的]${zh}`, `(有哪些|有多少)${zh}`],
            en: [`(list|show|view) [me] [all] [the|our] ${words}`, `(which|what) ${words} (are there|do we have)`],
          },
          texts: {
            title: { zh, en: Words },
            page: { zh: '打开页面', en: 'Open the page' },
            count: { zh: `共有 {count} 个${zh}。`, en: `There are {count} ${words}.` },
            none: { zh: `没有${zh}。`, en: `There are no ${words}.` },
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
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
${consumer ? "import { READ_KIND } from '../../lib/journal/journal-reader.ts'\n" : ''}import { create${Plural}Module, type ${Plural}Module, ${plural}Module } from './${name}.module.ts'

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
    const strange = { code: 'request.not_found' }
    await expect(${plural}.service.get(other.ctx, made.id)).rejects.toMatchObject(strange)
    await expect(${plural}.service.update(other.ctx, made.id, { version: 1, name: 'theirs' })).rejects.toMatchObject(strange)
    await expect(${plural}.service.remove(other.ctx, made.id)).rejects.toMatchObject(strange)
    expect(await ${plural}.service.update(own.ctx, made.id, { version: 1, name: 'ours' })).toMatchObject({ name: 'ours', version: 2 })
    await expect(${plural}.service.update(own.ctx, made.id, { version: 1, name: 'late' })).rejects.toMatchObject({ code: 'version.conflict' })
    await ${plural}.service.remove(own.ctx, made.id)
    const { rows } = await m.db.superuser.query('select action from audit_logs where object_id = $1 order by at, id', [made.id])
    expect(rows.map(row => row.action)).toEqual(['${object}.create', '${object}.update', '${object}.remove'])
  })

  it('are there in the demo company, once', async () => {
    const { ctx } = await company(m.db)
    const seal = (purpose: string) => createCryptoBox('a secret of the installation, long enough', purpose)
    for (const _ of [1, 2]) await ${plural}Module.seedDemo?.(m.database, ctx.tenantId, seal)
    expect((await ${plural}.service.list(ctx, {})).items).toHaveLength(2)
  })

  it('are found by the search', async () => {
    const { ctx } = await company(m.db)
    await ${plural}.service.create(ctx, { name: 'a needle' })
    const [source] = ${plural}.search!
    expect((await source!.find(ctx, 'needle', 5)).map(hit => hit.title)).toEqual(['a needle'])
  })
${children
  .map(
    child => `
  it('have ${child.plural} of their own', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const { id } = await ${plural}.service.create(own.ctx, { name: 'mine' })
    for (const text of ['first', 'second']) await ${plural}.service.add${child.Singular}(own.ctx, id, { text })
    expect((await ${plural}.service.list${child.Plural}(own.ctx, id)).items.map(item => item.text)).toEqual(['second', 'first'])
    await expect(${plural}.service.add${child.Singular}(other.ctx, id, { text: 'theirs' })).rejects.toMatchObject({ code: 'request.not_found' })
    await ${plural}.service.remove(own.ctx, id)
    const left = await m.db.superuser.query('select 1 from ${child.table} where ${object}_id = $1', [id])
    expect(left.rows).toEqual([])
  })
`,
  )
  .join('')}${
  consumer
    ? `
  it('take what devices report, each row once', async () => {
    const [reader] = ${plural}.consumers
    const row = { seq: 1, arrivedAt: 0, device: 7, kind: READ_KIND.property, late: false, ts: 0, values: '{"a":1}' }
    expect([reader!.wants(row), reader!.wants({ ...row, kind: READ_KIND.offline })]).toEqual([true, false])
    const after = await reader!.handle(undefined as never, 0, [row, { ...row, seq: 2 }])
    expect(await ${plural}.gauges?.()).toEqual({ ${table}_rows: 0 })
    after?.()
    expect(await ${plural}.gauges?.()).toEqual({ ${table}_rows: 2 })
  })
`
    : ''
}})
`,
  }
}

/** What both sides know of it. */
function moduleFacts({ plural, object, right, ownRight, paths }) {
  const rights = ownRight
    ? `  rights: ['${right}:read', '${right}:write'],
  roles: { operations: ['${right}:read', '${right}:write'], developer: ['${right}:read', '${right}:write'], read_only: ['${right}:read'] },
`
    : ''
  return `import type { ModuleFacts } from './module.ts'

export const ${plural}Module = {
${rights}  pages: {
${paths.map(path => `    '${path}': ['operations', 'developer', 'read_only'],\n`).join('')}  },
  found: ['${object}'],
} as const satisfies ModuleFacts
`
}

/** Its words for the operation log, the rights and the menu. */
function moduleWords({ object, words, Words, zh, right, ownRight, path, inMenu }) {
  const noun = word => ({ noun: { [object]: word }, ...(ownRight ? { resource: { [right]: word } } : {}) })
  return `${JSON.stringify(
    {
      zh: noun(zh),
      en: noun(Words),
      ...(ownRight ? { heard: { resource: [[right, `${zh}|${words}|${words.replace(/s$/, '')}`]] } } : {}),
      ...(inMenu
        ? {}
        : {
            menu: [
              {
                under: path.split('/')[1],
                path,
                zh,
                en: Words,
                icon: '<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round"><rect x="2" y="2" width="12" height="12" rx="2"/><path d="M5 8h6"/></svg>',
              },
            ],
          }),
    },
    null,
    2,
  )}
`
}

function childTable({ table, object }, { table: child, plural }) {
  return `
-- Their ${plural}.
create table ${child} (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  ${object}_id uuid not null references ${table} (id) on delete cascade,
  text text not null,
  created_at timestamptz not null default now()
);
create index ${child}_of_idx on ${child} (tenant_id, ${object}_id, id);
alter table ${child} enable row level security;
create policy tenant_own on ${child} to :app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy system_all on ${child} to :system using (true) with check (true);
grant select, insert, update, delete on ${child} to :app, :system;
`
}

function childRepo({ object }, { table, Plural, Singular, CONSTANT }) {
  return `
export interface ${Singular}Row {
  id: string
  text: string
  created_at: Date
}

const LIST_${CONSTANT} = sql<${Singular}Row>\`select id, text, created_at from ${table} where ${object}_id = $1 order by id desc limit 100\`

/** The newest hundred of one. */
export async function list${Plural}(scope: TenantScope, id: string): Promise<${Singular}Row[]> {
  return (await scope.run(LIST_${CONSTANT}, [id])).rows
}

const INSERT_${CONSTANT} = sql<${Singular}Row>\`insert into ${table} (id, tenant_id, ${object}_id, text) values ($1, $2, $3, $4) returning id, text, created_at\`

export async function insert${Singular}(scope: TenantScope, id: string, of: string, text: string): Promise<${Singular}Row> {
  return (await scope.run(INSERT_${CONSTANT}, [id, scope.tenantId, of, text])).rows[0]!
}
`
}

function reader({ Plural, table, words }) {
  return `import { type JournalReader, READ_KIND } from '../../lib/journal/journal-reader.ts'

export interface ${Plural}Reader extends JournalReader {
  gauges(): Record<string, number>
}

/** Reads what devices report, for ${words}: each row once, in the order of its device. */
export function create${Plural}Reader(): ${Plural}Reader {
  let rows = 0
  return {
    name: '${table}',
    everyMs: 100,
    wants: row => row.kind === READ_KIND.property,
    async handle(_client, _lane, read) {
      // What it writes goes through the client, in the transaction of its place in the journal; what it keeps in memory
      // changes after the commit.
      return () => {
        rows += read.length
      }
    },
    gauges: () => ({ ${table}_rows: rows }),
  }
}
`
}
