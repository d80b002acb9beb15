import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { type Ctx, systemContext } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { defineTool, type PlannedCall } from '../../lib/tools/tools.ts'
import { createCarrier } from './approval-carrier.ts'
import type { ApprovalRow, StoredStep } from './approvals.repo.ts'
import { createToolRegistry } from './registry.ts'

const texts = { zh: 'x', en: 'x' }
const shown: PlannedCall = { route: 'PATCH /x/{id}', params: { id: 'one' }, body: { version: 1 } }

/** A step that was shown with one call, of a tool that finds out `now` when it is asked again. */
function step(over: Partial<StoredStep> = {}): StoredStep {
  return {
    tool: 'change_thing',
    class: 'write',
    title: 'X',
    input: {},
    dependent: false,
    calls: [shown],
    effects: [],
    changes: [],
    object: null,
    memo: null,
    state: 'waiting',
    outcome: null,
    results: [],
    undo: null,
    ...over,
  }
}

function carried(steps: StoredStep[], now: PlannedCall[]) {
  const made: PlannedCall[] = []
  const tool = defineTool({
    name: 'change_thing',
    description: 'x',
    class: 'write',
    permission: 'signed-in',
    input: Type.Object({}, { additionalProperties: false }),
    words: { title: texts, phrases: { zh: [], en: [] } },
    prepare: async () => ({ calls: now, effects: [] }),
    finish: async () => ({ result: { text: 'done' } }),
  })
  const carrier = createCarrier({
    logger: silentLogger,
    registry: createToolRegistry([tool], []),
    timeZone: async () => 'UTC',
    async callApi(ctx: Ctx, call) {
      expect(ctx.userAgent).toMatch(/^Thingwright assistant/)
      made.push(call)
      return { id: call.params?.id, version: 2 }
    },
  })
  const row = { id: newId(), locale: 'en', steps } as ApprovalRow
  const done = carrier.carry(systemContext(newId(), 'test'), row, async () => {})
  return { made, row, done }
}

describe('a step whose object an earlier step has changed', () => {
  it('is found out anew, to the same routes and objects', async () => {
    const fresh = { ...shown, body: { version: 2 } }
    const { made, row, done } = carried([step(), step({ again: true })], [fresh])
    await done
    expect(made).toEqual([shown, fresh])
    expect(row.steps.map(({ state }) => state)).toEqual(['done', 'done'])
  })

  it.each([
    ['another object', [{ ...shown, params: { id: 'other' } }]],
    ['another route', [{ ...shown, route: 'DELETE /x/{id}' }]],
    ['more than was shown', [shown, shown]],
    ['nothing', []],
  ])('is not made when it would reach %s', async (_, now) => {
    const { made, row, done } = carried([step(), step({ again: true })], now)
    await done
    expect(made).toEqual([shown])
    expect(row.steps.map(({ state }) => state)).toEqual(['done', 'failed'])
    expect(row.steps[1]!.outcome).toContain('something else than was shown')
  })

  it('is made as it was shown otherwise', async () => {
    const { made, done } = carried([step()], [{ ...shown, params: { id: 'other' } }])
    await done
    expect(made).toEqual([shown])
  })
})
