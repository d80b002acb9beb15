import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertTenant } from '../../db/fixtures.ts'
import { memoryStore } from '../../db/testing/memory-store.ts'
import { spawnChild } from '../../db/testing/spawn-child.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createNews, type TaskChange } from '../../lib/news.ts'
import { createTasksModule, type RunningTask, type TaskHandler } from './index.ts'
import type { TasksDeps } from './tasks.module.ts'
import { KEPT_FAILURES } from './tasks.runner.ts'
import { MAX_OPEN } from './tasks.service.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})

const running: { stop(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(runner => runner.stop()))
})

const TITLE = { zh: '导入设备', en: 'Import devices' }

/** A module whose kinds are this test's own, so that no other runner takes its tasks. */
function tasksWith(
  handlers: Record<string, TaskHandler['run'] | Omit<TaskHandler, 'needs'>>,
  over: Partial<TasksDeps> = {},
) {
  const files = memoryStore()
  const changes: TaskChange[] = []
  const news = createNews(error => {
    throw error
  })
  news.hear({ 'task.changed': change => void changes.push(structuredClone(change)) })
  const module = createTasksModule({
    database: db.database.telling(news),
    files,
    logger: silentLogger,
    now: () => Date.now(),
    // No lease runs out because the machine was busy: what a test wants lost it takes away itself.
    timing: { lease: 60_000, heartbeat: 30, poll: 30, progress: 20 },
    ...over,
  })
  for (const [kind, handler] of Object.entries(handlers))
    module.register(kind, { needs: () => [], ...(typeof handler === 'function' ? { run: handler } : handler) })
  const start = () => {
    module.runner.start()
    running.push(module.runner)
  }
  return { ...module, files, changes, start }
}

async function person(over: { tenantId?: string; permissions?: string[] } = {}): Promise<Ctx> {
  const tenantId = over.tenantId ?? (await insertTenant(db.superuser)).id
  return {
    tenantId,
    actor: {
      kind: 'member',
      loginId: newId(),
      username: 'li.na',
      displayName: '李娜',
      permissions: new Set(over.permissions ?? []) as never,
      dataScope: { kind: 'all' },
    },
    locale: 'zh',
    requestId: newId(),
    now: Date.now(),
    ip: '192.0.2.7',
  }
}

const kindOf = () => `test.${newId().slice(-12)}`
const refusal = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (e: unknown) => e,
  )
  if (!(error instanceof AppError)) throw new Error('it was not refused', { cause: error })
  return error
}
const untilEnded = async (module: ReturnType<typeof tasksWith>, ctx: Ctx, id: string) => {
  await expect.poll(async () => (await module.service.get(ctx, id)).endedAt).not.toBeNull()
  return module.service.get(ctx, id)
}

describe('a task', () => {
  it('keeps all of a file that it makes piece by piece, also when the store is not ready at the first piece', async () => {
    const kind = kindOf()
    const ctx = await person()
    const tasks = tasksWith({
      [kind]: async task => {
        await task.saveFile(
          'a.csv',
          'text/csv',
          Readable.from(['ts,value\r\n', '1,20.5\r\n'].map(part => Buffer.from(part))),
        )
        return {}
      },
    })
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: {} })
    tasks.start()
    expect((await untilEnded(tasks, ctx, id)).file).toMatchObject({ size: 18 })
    expect((await buffer((await tasks.service.download(ctx, id)).body)).toString()).toBe('ts,value\r\n1,20.5\r\n')
  })

  it('runs as whoever started it, tells its progress, keeps failures and a file, and says how it ended', async () => {
    const kind = kindOf()
    const ctx = await person({ permissions: ['device:write'] })
    let seen: RunningTask['ctx'] | undefined
    const tasks = tasksWith({
      [kind]: async task => {
        seen = task.ctx
        expect(task.input).toEqual({ rows: 3 })
        task.progress(1, 3)
        task.failed('SN-002', 'device.number_taken', { deviceNo: 'SN-002' })
        task.progress(3)
        await task.saveFile('结果.csv', 'text/csv', Buffer.from('a,b\r\n'))
        return { summary: { made: 2 } }
      },
    })
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: { rows: 3 }, total: 3 })
    expect(await tasks.service.get(ctx, id)).toMatchObject({ state: 'queued', done: 0, total: 3, file: null })
    tasks.start()
    const view = await untilEnded(tasks, ctx, id)
    expect(view).toMatchObject({
      state: 'partial',
      title: TITLE,
      done: 3,
      total: 3,
      failedCount: 1,
      summary: { made: 2 },
      error: null,
      file: { name: '结果.csv', contentType: 'text/csv', size: 5 },
      ownerName: 'li.na',
    })
    expect(Date.parse(view.keptUntil!) - Date.parse(view.endedAt!)).toBe(30 * 86_400_000)
    expect(seen).toMatchObject({ tenantId: ctx.tenantId, locale: 'zh', ip: '192.0.2.7', actor: ctx.actor })
    const { items } = await tasks.service.failures(ctx, id, {})
    expect(items).toMatchObject([{ n: 1, item: 'SN-002', code: 'device.number_taken' }])
    expect(items[0]!.message).not.toBe('device.number_taken')
    const file = await tasks.service.download(ctx, id)
    expect(file.fileName).toBe('结果.csv')
    expect(await text(file.body)).toBe('a,b\r\n')
    expect(tasks.changes.at(-1)).toMatchObject({ id, patch: { state: 'partial', done: 3, failedCount: 1 } })
    const { rows } = await db.superuser.query(
      'select action, result, after from audit_logs where object_id = $1 order by at, id',
      [id],
    )
    expect(rows).toMatchObject([
      { action: 'task.start', after: { kind, input: { rows: 3 } } },
      { action: 'task.end', result: 'ok', after: { state: 'partial', done: 3, failed: 1 } },
      { action: 'task.download', after: { file: '结果.csv' } },
    ])
  })

  it('that fails says why: with its own code, or as an error of the server without its inside', async () => {
    const [coded, broken] = [kindOf(), kindOf()]
    const ctx = await person()
    const tasks = tasksWith({
      [coded]: async () => {
        throw new AppError('command.queue_full', { params: { limit: 7 } })
      },
      [broken]: async () => {
        throw new Error('password=hunter2')
      },
    })
    tasks.start()
    const first = await tasks.service.start(ctx, { kind: coded, title: TITLE, input: null })
    const view = await untilEnded(tasks, ctx, first.id)
    expect(view).toMatchObject({ state: 'failed', error: { code: 'command.queue_full' } })
    expect(view.error!.message).toContain('7')
    const second = await tasks.service.start(ctx, { kind: broken, title: TITLE, input: null })
    const other = await untilEnded(tasks, ctx, second.id)
    expect(other.error!.code).toBe('server.error')
    expect(JSON.stringify(other)).not.toContain('hunter2')
  })

  it('is done in part when a part of it failed, also where nobody knew how much there is', async () => {
    const kinds = [kindOf(), kindOf()] as const
    const ctx = await person()
    const tasks = tasksWith({
      [kinds[0]]: async task => {
        task.failed('a', 'device.not_found')
        task.progress(2)
        return {}
      },
      [kinds[1]]: async task => {
        for (const item of ['a', 'b']) task.failed(item, 'device.not_found')
        task.progress(2)
        return { summary: { made: 0 } }
      },
    })
    tasks.start()
    const start = (kind: string) => tasks.service.start(ctx, { kind, title: TITLE, input: null })
    const [partly, nothing] = [await start(kinds[0]), await start(kinds[1])]
    expect(await untilEnded(tasks, ctx, partly.id)).toMatchObject({ state: 'partial', failedCount: 1, error: null })
    expect(await untilEnded(tasks, ctx, nothing.id)).toMatchObject({
      state: 'failed',
      failedCount: 2,
      summary: { made: 0 },
      error: { code: 'task.all_failed' },
    })
  })

  it('keeps the first 1,000 failures, counts all, and hands them out as a file', async () => {
    const kind = kindOf()
    const ctx = await person()
    const tasks = tasksWith({
      [kind]: async task => {
        for (let i = 1; i <= 1500; i++) {
          task.failed(`=item ${i}`, 'device.not_found')
          task.progress(i, 1500)
          if (i % 500 === 0) await wait(30)
        }
        return {}
      },
    })
    tasks.start()
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    expect(await untilEnded(tasks, ctx, id)).toMatchObject({
      state: 'failed',
      done: 1500,
      failedCount: 1500,
      error: { code: 'task.all_failed' },
    })
    // What comes of it is told to whoever reads the log, too; and it can be tried again.
    const { rows } = await db.superuser.query(
      `select result from audit_logs where object_id = $1 and action = 'task.end'`,
      [id],
    )
    expect(rows).toEqual([{ result: 'failed' }])
    const reply = await tasks.service.exportFailures(ctx, id, 'csv')
    const lines = (await text(reply.body)).trimEnd().split('\r\n')
    expect(lines).toHaveLength(KEPT_FAILURES + 1)
    expect(lines.at(-1)).toContain("'=item 1000")
    expect(reply.fileName).toMatch(/^导入设备-.*\.csv$/)
  })

  it('writes its progress some times a second, however often it is told', async () => {
    const kind = kindOf()
    const ctx = await person()
    const tasks = tasksWith({
      [kind]: async task => {
        for (let i = 1; i <= 20_000; i++) {
          task.progress(i, 20_000)
          if (i % 5000 === 0) await expect.poll(() => told().at(-1)!.patch.done).toBe(i)
          else if (i % 1000 === 0) await wait(5)
        }
        return {}
      },
    })
    const told = () => tasks.changes
    tasks.start()
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    const view = await untilEnded(tasks, ctx, id)
    expect(view).toMatchObject({ state: 'succeeded', done: 20_000 })
    expect(told().length).toBeLessThan(100)
  })

  it('begins only when the change it belongs to is committed', async () => {
    const kind = kindOf()
    const ctx = await person()
    let ran = 0
    const tasks = tasksWith({ [kind]: async () => ({ summary: { ran: ++ran } }) })
    tasks.start()
    await expect(
      db.database.withTenant(ctx, async scope => {
        await tasks.service.startIn(scope, ctx, { kind, title: TITLE, input: null })
        throw new Error('the change is refused')
      }),
    ).rejects.toThrow('refused')
    expect((await tasks.service.list(ctx, {})).items).toEqual([])
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    await untilEnded(tasks, ctx, id)
    expect(ran).toBe(1)
  })

  it('of a person who may no longer act does nothing', async () => {
    const kind = kindOf()
    const ctx = await person()
    let ran = false
    const tasks = tasksWith(
      {
        [kind]: async () => {
          ran = true
          return {}
        },
      },
      { currentActor: async () => null },
    )
    tasks.start()
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    expect(await untilEnded(tasks, ctx, id)).toMatchObject({ state: 'failed', error: { code: 'auth.login_frozen' } })
    expect(ran).toBe(false)
  })
})

describe('cancelling', () => {
  it('ends a waiting task at once and a running one at its next step; what is done stays counted', async () => {
    const kind = kindOf()
    const ctx = await person()
    const tasks = tasksWith({
      [kind]: async task => {
        for (let i = 1; !task.cancelled(); i++) {
          task.progress(i)
          await wait(5)
        }
        return { summary: { stopped: true } }
      },
    })
    const waiting = await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    expect(await tasks.service.cancel(ctx, waiting.id)).toMatchObject({ state: 'cancelled' })
    tasks.start()
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    await expect.poll(async () => (await tasks.service.get(ctx, id)).done).toBeGreaterThan(3)
    expect(await tasks.service.cancel(ctx, id)).toMatchObject({ state: 'running', cancelRequested: true })
    const view = await untilEnded(tasks, ctx, id)
    expect(view).toMatchObject({ state: 'cancelled', summary: { stopped: true } })
    expect(view.done).toBeGreaterThan(3)
    expect((await refusal(tasks.service.cancel(ctx, id))).code).toBe('task.not_cancellable')
  })

  it('reaches a task in another process', async () => {
    const kind = kindOf()
    const ctx = await person()
    const work = async (task: RunningTask) => {
      await new Promise(resolve => task.signal.addEventListener('abort', resolve, { once: true }))
      return {}
    }
    const there = tasksWith({ [kind]: work })
    const here = tasksWith({ [kind]: work })
    there.start()
    const { id } = await here.service.start(ctx, { kind, title: TITLE, input: null })
    await expect.poll(async () => (await here.service.get(ctx, id)).state).toBe('running')
    await here.service.cancel(ctx, id)
    expect(await untilEnded(here, ctx, id)).toMatchObject({ state: 'cancelled' })
  })

  it('that comes when all work is done changes nothing', async () => {
    const kind = kindOf()
    const ctx = await person()
    let go = () => {}
    const gate = new Promise<void>(resolve => {
      go = resolve
    })
    const tasks = tasksWith({
      [kind]: async () => {
        await gate
        return { summary: { all: true } }
      },
    })
    tasks.start()
    const { id } = await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    await expect.poll(async () => (await tasks.service.get(ctx, id)).state).toBe('running')
    await tasks.service.cancel(ctx, id)
    go()
    expect(await untilEnded(tasks, ctx, id)).toMatchObject({ state: 'succeeded', summary: { all: true } })
  })
})

describe('when the process is killed', () => {
  it('a resumable task goes on from the parts that were written down, with its failures', async () => {
    const kind = kindOf()
    const ctx = await person()
    const seen: number[] = []
    const here = tasksWith({
      [kind]: {
        resumable: true,
        async run(task) {
          seen.push(task.doneBefore)
          task.failed('part-9', 'device.not_found')
          task.progress(10, 10)
          return {}
        },
      },
    })
    const { id } = await here.service.start(ctx, { kind, title: TITLE, input: null })
    const child = spawnChild('tasks', { access: db.access, kind, resumable: true, until: 5 })
    await child.next('standing')
    await expect.poll(async () => (await here.service.get(ctx, id)).done).toBe(5)
    child.kill('SIGKILL')
    await child.exited
    here.start()
    expect(await untilEnded(here, ctx, id)).toMatchObject({ state: 'partial', done: 10, failedCount: 2 })
    expect(seen).toEqual([5])
    expect((await here.service.failures(ctx, id, {})).items.map(({ item }) => item)).toEqual(['part-1', 'part-9'])
  })

  it('any other task has failed and says that the server stopped; it can be started again', async () => {
    const kind = kindOf()
    const ctx = await person()
    let ran = 0
    const here = tasksWith({ [kind]: async () => ({ summary: { ran: ++ran } }) })
    const { id } = await here.service.start(ctx, { kind, title: TITLE, input: { file: 'x' } })
    const child = spawnChild('tasks', { access: db.access, kind, resumable: false, until: 5 })
    await child.next('standing')
    child.kill('SIGKILL')
    await child.exited
    here.start()
    expect(await untilEnded(here, ctx, id)).toMatchObject({ state: 'failed', error: { code: 'task.interrupted' } })
    expect(ran).toBe(0)
    const again = await here.service.retry(ctx, id)
    expect(again).toMatchObject({ retryOf: id, kind })
    expect(await untilEnded(here, ctx, again.id)).toMatchObject({ state: 'succeeded', summary: { ran: 1 } })
  })

  it('a process that only was away too long does not write over the one that took its task', async () => {
    const kind = kindOf()
    const ctx = await person()
    let go = () => {}
    const gate = new Promise<void>(resolve => {
      go = resolve
    })
    const slow = tasksWith(
      {
        [kind]: {
          resumable: true,
          async run() {
            await gate
            return { summary: { by: 'slow' } }
          },
        },
      },
      { timing: { lease: 60_000, heartbeat: 60_000, poll: 60_000, progress: 20 } },
    )
    slow.start()
    const { id } = await slow.service.start(ctx, { kind, title: TITLE, input: null })
    await expect.poll(async () => (await slow.service.get(ctx, id)).state).toBe('running')
    await db.superuser.query("update tasks set worker = $2, lease_until = now() - interval '1 s' where id = $1", [
      id,
      newId(),
    ])
    const fresh = tasksWith({ [kind]: { resumable: true, run: async () => ({ summary: { by: 'fresh' } }) } })
    fresh.start()
    await untilEnded(fresh, ctx, id)
    go()
    await slow.runner.stop()
    expect(await fresh.service.get(ctx, id)).toMatchObject({ state: 'succeeded', summary: { by: 'fresh' } })
  })
})

describe('an ordered stop', () => {
  it('gives resumable tasks back to the queue and ends the others as interrupted', async () => {
    const [first, second] = [kindOf(), kindOf()]
    const ctx = await person()
    const work = async (task: RunningTask) => {
      while (!task.cancelled()) await wait(5)
      return {}
    }
    const tasks = tasksWith({ [first]: { resumable: true, run: work }, [second]: work })
    tasks.start()
    const one = await tasks.service.start(ctx, { kind: first, title: TITLE, input: null })
    const two = await tasks.service.start(ctx, { kind: second, title: TITLE, input: null })
    const states = async () => [
      (await tasks.service.get(ctx, one.id)).state,
      (await tasks.service.get(ctx, two.id)).state,
    ]
    await expect.poll(states).toEqual(['running', 'running'])
    await tasks.runner.stop()
    expect(await states()).toEqual(['queued', 'failed'])
  })
})

describe('sharing', () => {
  it('runs two tasks of a company at a time, so that another company’s begins', async () => {
    const kind = kindOf()
    const [busy, other] = [await person(), await person()]
    const gates: (() => void)[] = []
    const tasks = tasksWith({
      [kind]: async () => {
        await new Promise<void>(resolve => gates.push(resolve))
        return {}
      },
    })
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push((await tasks.service.start(busy, { kind, title: TITLE, input: null })).id)
    const last = await tasks.service.start(other, { kind, title: TITLE, input: null })
    tasks.start()
    await expect.poll(async () => (await tasks.service.get(other, last.id)).state).toBe('running')
    const states = (await tasks.service.list(busy, {})).items.map(({ state }) => state)
    expect(states.toSorted()).toEqual(['queued', 'queued', 'running', 'running'])
    for (let open = 0; open < 5; open++) {
      await expect.poll(() => gates.length).toBeGreaterThan(open)
      gates[open]!()
    }
    for (const id of ids) expect((await untilEnded(tasks, busy, id)).state).toBe('succeeded')
  })

  it('of the queue by two processes runs every task once', async () => {
    const kind = kindOf()
    const ran: string[] = []
    const work = async (task: RunningTask) => {
      ran.push(String(task.input))
      return {}
    }
    const [a, b] = [tasksWith({ [kind]: work }), tasksWith({ [kind]: work })]
    const people = await Promise.all(Array.from({ length: 6 }, () => person()))
    const ids: [Ctx, string][] = []
    for (let i = 0; i < 30; i++) {
      const ctx = people[i % 6]!
      ids.push([ctx, (await a.service.start(ctx, { kind, title: TITLE, input: i })).id])
    }
    a.start()
    b.start()
    for (const [ctx, id] of ids) await untilEnded(a, ctx, id)
    expect(ran.toSorted((x, y) => Number(x) - Number(y))).toEqual(Array.from({ length: 30 }, (_, i) => String(i)))
  })

  it('is bounded for one person', async () => {
    const kind = kindOf()
    const ctx = await person()
    const tasks = tasksWith({ [kind]: async () => ({}) })
    for (let i = 0; i < MAX_OPEN; i++) await tasks.service.start(ctx, { kind, title: TITLE, input: null })
    expect((await refusal(tasks.service.start(ctx, { kind, title: TITLE, input: null }))).code).toBe('task.too_many')
    const colleague = await person({ tenantId: ctx.tenantId })
    await tasks.service.start(colleague, { kind, title: TITLE, input: null })
  })
})

describe('who sees a task', () => {
  it('is its starter, and whoever may read the operation log; the file is its starter’s alone', async () => {
    const kind = kindOf()
    const owner = await person()
    const colleague = await person({ tenantId: owner.tenantId })
    const auditor = await person({ tenantId: owner.tenantId, permissions: ['audit:read'] })
    const chief = await person({ tenantId: owner.tenantId, permissions: ['audit:read', 'company:write'] })
    const stranger = await person({ permissions: ['audit:read', 'company:write'] })
    const tasks = tasksWith({
      [kind]: async task => {
        await task.saveFile('a.txt', 'text/plain', Buffer.from('secret'))
        return {}
      },
    })
    const { id } = await tasks.service.start(owner, { kind, title: TITLE, input: null })
    for (const ctx of [colleague, stranger]) {
      expect((await refusal(tasks.service.get(ctx, id))).code).toBe('task.not_found')
      expect((await refusal(tasks.service.cancel(ctx, id))).code).toBe('task.not_found')
      expect((await refusal(tasks.service.failures(ctx, id, {}))).code).toBe('task.not_found')
      expect((await refusal(tasks.service.download(ctx, id))).code).toBe('task.not_found')
      expect((await tasks.service.list(ctx, {})).items).toEqual([])
    }
    expect((await refusal(tasks.service.list(colleague, { of: 'company' }))).code).toBe('permission.denied')
    expect((await tasks.service.list(auditor, { of: 'company' })).items).toMatchObject([{ id }])
    expect((await refusal(tasks.service.cancel(auditor, id))).code).toBe('permission.denied')
    tasks.start()
    await untilEnded(tasks, owner, id)
    expect((await refusal(tasks.service.download(chief, id))).code).toBe('permission.denied')
    expect((await refusal(tasks.service.retry(chief, id))).code).toBe('permission.denied')
    expect((await buffer((await tasks.service.download(owner, id)).body)).toString()).toBe('secret')
    expect((await refusal(tasks.service.listEverywhere(chief, {}))).code).toBe('permission.denied')
    const operator = {
      ...chief,
      actor: { ...chief.actor, kind: 'operator', permissions: new Set(['operator:use']) } as never,
    }
    const everywhere = await tasks.service.listEverywhere(operator, { tenantId: owner.tenantId })
    expect(everywhere.items).toMatchObject([{ id, tenantId: owner.tenantId }])
  })

  it('walks its pages once each', async () => {
    const kind = kindOf()
    const ctx = await person()
    const tasks = tasksWith({ [kind]: async () => ({}) })
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.push((await tasks.service.start(ctx, { kind, title: TITLE, input: null })).id)
    const walked: string[] = []
    let cursor: string | undefined
    do {
      const page = await tasks.service.list(ctx, { limit: 2, ...(cursor ? { cursor } : {}) })
      walked.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(walked).toEqual(made.toReversed())
    // Tried: no JSON, other lengths, other types, times and ids that are none.
    for (const values of [['x', newId()], ['2026-01-01', 'x'], [1, 2], [], ['a']]) {
      const forged = Buffer.from(JSON.stringify(values)).toString('base64url')
      expect((await refusal(tasks.service.list(ctx, { cursor: forged }))).code).toBe('request.cursor_invalid')
    }
  })
})

describe('keeping', () => {
  it('ends after 30 days, file and all', async () => {
    const kind = kindOf()
    const ctx = await person()
    const tasks = tasksWith({
      [kind]: async task => {
        await task.saveFile('a.txt', 'text/plain', Buffer.from('x'))
        return {}
      },
    })
    tasks.start()
    const [old, recent] = [
      await tasks.service.start(ctx, { kind, title: TITLE, input: null }),
      await tasks.service.start(ctx, { kind, title: TITLE, input: null }),
    ]
    for (const { id } of [old, recent]) await untilEnded(tasks, ctx, id)
    expect(tasks.files.files.size).toBe(2)
    await db.superuser.query("update tasks set ended_at = now() - interval '30 days 1 minute' where id = $1", [old.id])
    expect(await tasks.runner.sweep()).toBeGreaterThanOrEqual(1)
    expect((await tasks.service.list(ctx, {})).items.map(({ id }) => id)).toEqual([recent.id])
    expect(tasks.files.files.size).toBe(1)
  })
})
