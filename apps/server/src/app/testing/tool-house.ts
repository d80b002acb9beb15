import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { type Ctx, type DataScope, WHOLE_COMPANY } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import type { ChangeTool, Mention, PlannedCall, PreparedChange, ReadTool, ToolResult } from '../../lib/tools/tools.ts'
import { TOOLS } from '../assistant-tools.ts'
import type { Container } from '../container.ts'
import type { ContainerOptions } from '../container-options.ts'
import { testContainer } from './test-app.ts'
import { toolContext } from './tool-caller.ts'

/** A change that was made: what was asked for, what the routes answered, what was told. */
export interface Made {
  prepared: PreparedChange
  results: unknown[]
  result: ToolResult
  undo: PlannedCall[] | undefined
}

/** A company on the whole application, whose people use tools. */
export interface ToolHouse {
  db: TestDatabase
  container: Container
  tenantId: string
  owner: Ctx
  /** A new member with these rights. */
  person(name: string, permissions?: readonly Permission[], over?: { scope?: DataScope }): Promise<Ctx>
  read(ctx: Ctx, tool: string, input?: Record<string, unknown>, mentions?: readonly Mention[]): Promise<ToolResult>
  prepare(
    ctx: Ctx,
    tool: string,
    input?: Record<string, unknown>,
    mentions?: readonly Mention[],
  ): Promise<PreparedChange>
  /** Prepares a change and makes its calls as somebody who allowed it would. */
  make(ctx: Ctx, tool: string, input?: Record<string, unknown>, mentions?: readonly Mention[]): Promise<Made>
  /** Takes a change back. */
  undo(ctx: Ctx, made: Made): Promise<void>
  call(ctx: Ctx, route: string, input?: Omit<PlannedCall, 'route'>): Promise<unknown>
  /** The session of a person has confirmed just now that it is he. */
  proven(ctx: Ctx): Promise<void>
  /** What a tool that cannot go on says: its text, or the code of the route's refusal. */
  problem(work: Promise<unknown>): Promise<string>
  /** Lines of the operation log that tell of changes. */
  logLines(): Promise<number>
  close(): Promise<void>
}

/** @param over surroundings of the application */
export async function toolHouse(over: Partial<ContainerOptions> = {}): Promise<ToolHouse> {
  const db = await testDatabase()
  const container = testContainer(db, over)
  const tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, {
      name: 'Tool house',
      owner: { username: 'owner', passwordHash: 'x', displayName: 'Wang Fang', kind: 'member' },
    }),
  )

  async function contextOf(username: string, permissions: readonly Permission[], dataScope: DataScope): Promise<Ctx> {
    const { rows } = await db.superuser.query('select id, display_name from logins where username = $1', [username])
    return {
      tenantId,
      actor: {
        kind: 'member',
        loginId: rows[0].id,
        username,
        displayName: rows[0].display_name,
        permissions: new Set(permissions),
        dataScope,
      },
      locale: 'zh',
      requestId: newId(),
      now: Date.now(),
      ip: '192.0.2.7',
      sessionId: newId(),
    }
  }

  const toolNamed = (name: string) => {
    const tool = TOOLS.find(one => one.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    return tool
  }

  async function prepare(ctx: Ctx, name: string, input = {}, mentions: readonly Mention[] = []) {
    const tool = toolNamed(name) as unknown as ChangeTool
    return tool.prepare(toolContext(container, { ...ctx, now: Date.now() }, tool as never, mentions), input as never)
  }

  const call = (ctx: Ctx, planned: PlannedCall) => container.api.call({ ...ctx, now: Date.now() }, planned)

  return {
    db,
    container,
    tenantId,
    owner: await contextOf('owner', PERMISSIONS, WHOLE_COMPANY),

    async person(name, permissions = [], { scope = WHOLE_COMPANY } = {}) {
      await db.superuser.query(
        `insert into logins (id, tenant_id, username, password_hash, display_name, kind, state)
         values ($1, $2, $3, 'x', $3, 'member', 'active')`,
        [newId(), tenantId, name],
      )
      return contextOf(name, permissions, scope)
    },

    async read(ctx, name, input = {}, mentions = []) {
      const tool = toolNamed(name) as unknown as ReadTool
      return tool.run(toolContext(container, { ...ctx, now: Date.now() }, tool as never, mentions), input as never)
    },

    prepare,

    async make(ctx, name, input = {}, mentions = []) {
      const tool = toolNamed(name) as unknown as ChangeTool
      const prepared = await prepare(ctx, name, input, mentions)
      const results: unknown[] = []
      for (const planned of prepared.calls) results.push(await call(ctx, planned))
      // As it is kept: JSON.
      const kept = JSON.parse(JSON.stringify({ memo: prepared.memo ?? null, results }))
      const told = await tool.finish(toolContext(container, ctx, tool as never, mentions), {
        input: input as never,
        memo: kept.memo,
        results: kept.results,
      })
      return { prepared, results, result: told.result, undo: told.undo }
    },

    async undo(ctx, made) {
      if (!made.undo) throw new Error('it cannot be taken back')
      for (const planned of made.undo) await call(ctx, planned)
    },

    call: (ctx, route, input = {}) => call(ctx, { route, ...input }),

    async proven(ctx) {
      const loginId = ctx.actor.kind === 'member' ? ctx.actor.loginId : null
      await db.superuser.query(
        `with f as (insert into refresh_families (id, login_id, client_id, current_hash, expires_at)
           values ($1, $2, 'web', '\\x00', now() + interval '1 day') returning id)
         insert into session_proofs (family_id, method, proven_at) select id, 'password', now() from f`,
        [ctx.sessionId, loginId],
      )
    },

    problem: work =>
      work.then(
        () => 'no problem',
        (error: { text?: string; code?: string }) => error.text ?? error.code ?? String(error),
      ),

    logLines: async () =>
      Number(
        (await db.superuser.query('select count(*) from audit_logs where tenant_id = $1', [tenantId])).rows[0].count,
      ),

    async close() {
      await db.drop()
    },
  }
}
