import type { ApprovalCard } from '@thingwright/contracts/assistant-cards'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../lib/ids.ts'
import type { Answer } from './testing/event-stream.ts'
import { PASSWORD, type ScriptedHouse, scriptedHouse } from './testing/scripted-house.ts'

/** What the assistant may change, who says so, and what becomes of it. */
describe('a change that the assistant is asked for', () => {
  let house: ScriptedHouse
  let token: string
  let productId: string
  beforeAll(async () => {
    house = await scriptedHouse()
    token = await house.token('owner')
    productId = (await house.send(token, 'POST', 'products', { name: 'Pumps', linkType: 'mqtt' })).body.id
  })
  afterAll(() => house.close())

  it('waits for a decision and is made with exactly the calls that were shown', async () => {
    const device = await makeDevice('Alpha')
    const answer = await house.ask(token, rename('Alpha', 'Alpha two'))
    const card = await answer.asked()
    expect(card).toMatchObject({
      state: 'pending',
      mayAllowForChat: true,
      undoable: false,
      steps: [
        {
          tool: 'rename_device',
          class: 'write',
          state: 'waiting',
          effects: ['Alpha is called Alpha two from now on'],
          changes: [{ field: 'name', before: 'Alpha', after: 'Alpha two' }],
          object: { title: 'Alpha', to: `/manage/device?id=${device.id}` },
          calls: [
            {
              route: 'PATCH /api/v1/devices/{id}',
              params: { id: device.id },
              body: { version: device.version, name: 'Alpha two' },
            },
          ],
        },
      ],
    })
    expect(await nameOf(device.id)).toBe('Alpha')
    const decided = await decide(card.id, 'once')
    expect(decided).toMatchObject({ status: 200, body: { state: 'done', undoable: true } })
    await answer.ended
    expect(answer.text).toContain('done: Renamed to Alpha two.')
    expect(answer.approvals[0]).toMatchObject({
      state: 'done',
      steps: [{ state: 'done', outcome: 'Renamed to Alpha two.' }],
    })
    expect(await nameOf(device.id)).toBe('Alpha two')
    expect(await logOf(device.id, 'device.update')).toMatchObject([
      { user_agent: expect.stringMatching(/^Thingwright assistant/) },
    ])
    expect(await logOf(card.id, 'assistant.decide')).toMatchObject([
      { after: { decision: 'once', steps: [{ tool: 'rename_device', calls: card.steps[0]!.calls }] } },
    ])
    const seen = await house.send(token, 'GET', `assistant/approvals/${card.id}`)
    expect(seen.body).toMatchObject({ id: card.id, state: 'done' })
  })

  it('is not made when it is denied', async () => {
    const device = await makeDevice('Beta')
    const answer = await house.ask(token, rename('Beta', 'Beta two'))
    const card = await answer.asked()
    expect((await decide(card.id, 'deny')).body).toMatchObject({ state: 'denied', undoable: false })
    await answer.ended
    expect(answer.text).toContain('denied: ')
    expect(answer.cards.filter(shown => shown.kind === 'activity').at(-1)).toMatchObject({ state: 'done' })
    expect(await nameOf(device.id)).toBe('Beta')
    expect(await logOf(card.id, 'assistant.decide')).toMatchObject([{ after: { decision: 'deny' } }])
    expect((await decide(card.id, 'once')).body.code).toBe('assistant.already_decided')
  })

  it('is made once, however often it is clicked', async () => {
    const answer = await house.ask(token, `use create_device ${JSON.stringify({ product: productId, name: 'Twice' })}`)
    const card = await answer.asked()
    const clicks = await Promise.all([1, 2, 3, 4].map(() => decide(card.id, 'once')))
    expect(clicks.map(click => click.status).sort()).toEqual([200, 409, 409, 409])
    expect(clicks.find(click => click.status === 409)!.body.code).toBe('assistant.already_decided')
    await answer.ended
    expect(await countNamed('Twice')).toBe(1)
  })

  it('is nobody else’s to see, to decide or to take back', async () => {
    await makeDevice('Gamma')
    const answer = await house.ask(token, rename('Gamma', 'Gamma two'))
    const card = await answer.asked()
    const other = await house.token('colleague')
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '', { decision: 'once' }],
      ['POST', '/undo', undefined],
    ] as const) {
      const refused = await house.send(other, method, `assistant/approvals/${card.id}${path}`, body)
      expect(refused).toMatchObject({ status: 404, body: { code: 'assistant.approval_not_found' } })
    }
    expect((await decide(newId(), 'once')).status).toBe(404)
    await decide(card.id, 'deny')
    await answer.ended
  })

  it('is denied when the reply that waits for it is stopped', async () => {
    const device = await makeDevice('Delta')
    const answer = await house.ask(token, rename('Delta', 'Delta two'))
    const card = await answer.asked()
    await house.send(token, 'POST', `assistant/replies/${answer.replyId}/stop`)
    await answer.ended
    expect(answer.approvals[0]!.state).toBe('denied')
    expect((await decide(card.id, 'once')).body.code).toBe('assistant.already_decided')
    expect(await nameOf(device.id)).toBe('Delta')
  })

  it('is refused to somebody who lost the right between question and decision', async () => {
    const device = await makeDevice('Epsilon')
    const member = await house.token('loser', ['device:read', 'device:write'])
    const answer = await house.ask(member, rename('Epsilon', 'Epsilon two'))
    const card = await answer.asked()
    await house.db.superuser.query(`update roles set permissions = '{device:read}' where id = $1`, [
      house.roleOf('loser'),
    ])
    house.container.identity.forget()
    const decided = await house.send(member, 'POST', `assistant/approvals/${card.id}`, { decision: 'once' })
    expect(decided.body).toMatchObject({ state: 'failed', steps: [{ state: 'failed' }] })
    await answer.ended
    expect(answer.text).toContain('device:write')
    expect(await nameOf(device.id)).toBe('Epsilon')
    const after = await house.ask(member, rename('Epsilon', 'Epsilon three'))
    await after.ended
    expect(after.text).toContain('(device:write)')
    expect(after.approvals).toEqual([])
  })

  it('leaves nothing to be read by somebody who lost the right in the middle of a reply', async () => {
    await makeDevice('Chi')
    const member = await house.token('midway', ['device:read', 'device:write'])
    const answer = await house.ask(member, `both ${JSON.stringify({ device: 'Chi', name: 'Chi two' })}`)
    const { id } = await answer.asked()
    await house.db.superuser.query(`update roles set permissions = '{device:write}' where id = $1`, [
      house.roleOf('midway'),
    ])
    house.container.identity.forget()
    await house.send(member, 'POST', `assistant/approvals/${id}`, { decision: 'deny' })
    await answer.ended
    expect(answer.text).toContain('(device:read)')
    expect(answer.text).not.toContain('It is called')
  })

  it('is not made against what somebody else changed meanwhile', async () => {
    const device = await makeDevice('Zeta')
    const answer = await house.ask(token, rename('Zeta', 'Zeta two'))
    const card = await answer.asked()
    await house.send(token, 'PATCH', `devices/${device.id}`, { version: device.version, name: 'Zeta by hand' })
    expect((await decide(card.id, 'once')).body).toMatchObject({ state: 'failed', undoable: false })
    await answer.ended
    expect(answer.text).toMatch(/^problem: /)
    expect(await nameOf(device.id)).toBe('Zeta by hand')
  })

  it('is never prepared for somebody who previews a role', async () => {
    await makeDevice('Eta')
    const reader = await makeRole(['device:read', 'device:write'])
    const headers = { 'x-preview-role': reader }
    const answer = await house.ask(token, rename('Eta', 'Eta two'), { headers })
    await answer.ended
    expect(answer.text).toContain('looking only')
    expect(answer.approvals).toEqual([])
    const offered = await house.ask(token, 'offered', { headers })
    await offered.ended
    expect(offered.text.split(' ')).toEqual(['read_device', 'read_much', 'ask_back', 'break_down'])
  })

  it('reads with the rights of the role that is previewed', async () => {
    await makeDevice('Theta')
    const blind = await makeRole(['member:read'])
    const answer = await house.ask(token, `use read_device {"device":"Theta"}`, {
      headers: { 'x-preview-role': blind },
    })
    await answer.ended
    expect(answer.text).toContain('(device:read)')
    expect(answer.text).not.toContain('It is called')
  })

  describe('with a tool that was allowed for the chat', () => {
    it('is made at once, and shown', async () => {
      const device = await makeDevice('Iota')
      const chatId = newId()
      const first = await house.ask(token, rename('Iota', 'Iota two'), { chatId })
      await decide((await first.asked()).id, 'chat')
      await first.ended
      const second = await house.ask(token, rename('Iota two', 'Iota three'), { chatId })
      await second.ended
      expect(second.text).toMatch(/^done: Renamed to Iota three\./)
      expect(second.events.filter(({ kind }) => kind === 'error')).toEqual([])
      expect(second.approvals).toMatchObject([{ state: 'done', undoable: true, steps: [{ state: 'done' }] }])
      expect(second.events.some(({ card }) => card?.kind === 'approval' && card.state === 'pending')).toBe(false)
      expect(await nameOf(device.id)).toBe('Iota three')
      expect(await logOf(second.approvals[0]!.id, 'assistant.decide')).toMatchObject([
        { after: { decision: 'chat', asked: false } },
      ])
      const elsewhere = await house.ask(token, rename('Iota three', 'Iota four'), { chatId: newId() })
      await decide((await elsewhere.asked()).id, 'deny')
      await elsewhere.ended
      await house.send(token, 'DELETE', `assistant/chats/${chatId}`)
      const forgotten = await house.ask(token, rename('Iota three', 'Iota four'), { chatId })
      await decide((await forgotten.asked()).id, 'deny')
      await forgotten.ended
    })

    it('is made and told the second time and the tenth, alone and in plans', async () => {
      const device = await makeDevice('Sigma 0')
      const chatId = newId()
      const first = await house.ask(token, rename('Sigma 0', 'Sigma 1'), { chatId })
      await decide((await first.asked()).id, 'chat')
      await first.ended
      for (let n = 2; n <= 10; n++) {
        const answer = await house.ask(token, rename(`Sigma ${n - 1}`, `Sigma ${n}`), { chatId })
        await answer.ended
        expect(answer.text).toContain(`done: Renamed to Sigma ${n}.`)
        expect(answer.approvals).toMatchObject([{ state: 'done' }])
      }
      const steps = ['Sigma 11', 'Sigma 12'].map(name => ({
        tool: 'rename_device',
        input: { device: 'Sigma 10', name },
      }))
      const plan = await house.ask(token, `plan ${JSON.stringify(steps)}`, { chatId })
      await plan.ended
      expect(plan.text).toContain('done: 1. Renamed to Sigma 11.\n2. Renamed to Sigma 12.')
      expect(await nameOf(device.id)).toBe('Sigma 12')
      const refused = await house.ask(token, rename('Sigma 12', 'x'.repeat(200)), { chatId })
      await refused.ended
      expect(refused.text).toMatch(/^problem: /)
      expect(refused.approvals).toMatchObject([{ state: 'failed' }])
    })

    it('waits for the proof of the person that its route asks for, and goes on', async () => {
      const chatId = newId()
      const key = (name: string) => `use make_key ${JSON.stringify({ name })}`
      const first = await house.ask(token, key('Sigma key'), { chatId })
      const { id } = await first.asked()
      const proof = await house.send(token, 'POST', 'security/proof', { method: 'password', password: PASSWORD })
      expect(proof.status).toBe(200)
      expect((await decide(id, 'chat')).status).toBe(200)
      await first.ended
      await house.db.superuser.query('delete from session_proofs')
      const second = await house.ask(token, key('Sigma key 2'), { chatId })
      const card = await second.asked()
      await expect
        .poll(async () => (await house.send(token, 'GET', `assistant/approvals/${card.id}`)).body.state)
        .toBe('pending')
      await decide(card.id, 'deny')
      await second.ended
      expect(second.text).toContain('denied: ')
    })

    it('is never allowed for deletes and device control', async () => {
      const device = await makeDevice('Kappa')
      for (const question of ['use remove_device {"device":"Kappa"}', 'use switch_device {}']) {
        const answer = await house.ask(token, question)
        const card = await answer.asked()
        expect(card.mayAllowForChat).toBe(false)
        expect(await decide(card.id, 'chat')).toMatchObject({ status: 422, body: { code: 'assistant.always_ask' } })
        expect((await house.send(token, 'GET', `assistant/approvals/${card.id}`)).body.state).toBe('pending')
        await decide(card.id, 'deny')
        await answer.ended
      }
      expect(await nameOf(device.id)).toBe('Kappa')
    })

    it('waits all the same in a plan that holds a delete', async () => {
      await makeDevice('Lambda')
      const chatId = newId()
      const first = await house.ask(token, rename('Lambda', 'Lambda two'), { chatId })
      await decide((await first.asked()).id, 'chat')
      await first.ended
      const answer = await house.ask(
        token,
        `plan ${JSON.stringify([
          { tool: 'rename_device', input: { device: 'Lambda two', name: 'Lambda three' } },
          { tool: 'remove_device', input: { device: 'Lambda two' } },
        ])}`,
        { chatId },
      )
      const card = await answer.asked()
      expect(card.mayAllowForChat).toBe(false)
      expect((await decide(card.id, 'chat')).status).toBe(422)
      await decide(card.id, 'deny')
      await answer.ended
    })
  })

  describe('in several steps', () => {
    const plan = (product: string, device: string) =>
      `plan ${JSON.stringify([
        { tool: 'create_product', input: { name: product } },
        { tool: 'create_device', input: { product: '$1.id', name: device } },
      ])}`

    it('is one approval, goes step by step, and is taken back in the reverse order by one undo', async () => {
      const answer = await house.ask(token, plan('Planned', 'Planned device'))
      const card = await answer.asked()
      expect(card.steps.map(step => [step.tool, step.calls.length])).toEqual([
        ['create_product', 1],
        ['create_device', 0],
      ])
      const done = (await decide(card.id, 'once')).body as ApprovalCard
      expect(done.steps.map(step => step.state)).toEqual(['done', 'done'])
      expect(done.steps[1]!.calls).toMatchObject([{ route: 'POST /api/v1/devices' }])
      await answer.ended
      const states = answer.events.flatMap(({ card }) =>
        card?.kind === 'approval' ? [card.steps.map(step => step.state).join()] : [],
      )
      expect(states).toContain('done,waiting')
      expect(await countNamed('Planned device')).toBe(1)
      const undone = await undo(card.id)
      expect(undone.body).toMatchObject({ state: 'undone', undoable: false })
      expect(undone.body.steps.map((step: { state: string }) => step.state)).toEqual(['undone', 'undone'])
      expect(await countNamed('Planned device')).toBe(0)
      expect((await house.send(token, 'GET', 'products?q=Planned')).body.items).toEqual([])
      expect(await logOf(card.id, 'assistant.undo')).toHaveLength(1)
      expect((await undo(card.id)).body).toMatchObject({ code: 'assistant.cannot_undo' })
    })

    it('says which step is not clear, and asks for nothing', async () => {
      await makeDevice('Omega A')
      await makeDevice('Omega B')
      const steps = [
        { tool: 'create_product', input: { name: 'Unclear' } },
        { tool: 'rename_device', input: { device: 'Omega', name: 'x' } },
      ]
      const answer = await house.ask(token, `plan ${JSON.stringify(steps)}`)
      await answer.ended
      expect(answer.text).toContain('problem: Step 2 is not clear yet')
      expect(answer.text).toMatch(/\(Omega [AB], Omega [AB]\)/)
      expect(answer.approvals).toEqual([])
    })

    it('may change one object several times, and take all of it back', async () => {
      const device = await makeDevice('Upsilon')
      const names = ['Upsilon two', 'Upsilon three', 'Upsilon four']
      const steps = names.map(name => ({ tool: 'rename_device', input: { device: 'Upsilon', name } }))
      const answer = await house.ask(token, `plan ${JSON.stringify(steps)}`)
      const { id } = await answer.asked()
      expect((await decide(id, 'once')).body.steps).toMatchObject([
        { state: 'done', changes: [{ before: 'Upsilon', after: 'Upsilon two' }] },
        { state: 'done', changes: [{ before: 'Upsilon two', after: 'Upsilon three' }] },
        { state: 'done' },
      ])
      await answer.ended
      expect(await nameOf(device.id)).toBe('Upsilon four')
      expect((await undo(id)).body.state).toBe('undone')
      expect(await nameOf(device.id)).toBe('Upsilon')
    })

    it('leaves out what follows a step that fails, and takes back what was done', async () => {
      const answer = await house.ask(
        token,
        `plan ${JSON.stringify([
          { tool: 'create_product', input: { name: 'Half' } },
          { tool: 'create_device', input: { product: newId(), name: 'No product' } },
          { tool: 'create_device', input: { product: '$1.id', name: 'Never' } },
        ])}`,
      )
      const card = await answer.asked()
      const done = (await decide(card.id, 'once')).body as ApprovalCard
      expect(done).toMatchObject({ state: 'failed', undoable: true })
      expect(done.steps.map(step => step.state)).toEqual(['done', 'failed', 'skipped'])
      await answer.ended
      expect(await countNamed('Never')).toBe(0)
      expect((await undo(card.id)).body.state).toBe('undone')
      expect((await house.send(token, 'GET', 'products?q=Half')).body.items).toEqual([])
    })

    it('speaks of earlier steps only, changes something in each, and has ten at most', async () => {
      const problems = [
        [
          { tool: 'create_device', input: { product: '$2.id', name: 'x' } },
          { tool: 'create_product', input: { name: 'x' } },
        ],
        [
          { tool: 'read_much', input: { characters: 1 } },
          { tool: 'create_product', input: { name: 'x' } },
        ],
        Array.from({ length: 11 }, (_, n) => ({ tool: 'create_product', input: { name: `x${n}` } })),
        [],
      ]
      for (const steps of problems) {
        const answer = await house.ask(token, `plan ${JSON.stringify(steps)}`)
        await answer.ended
        expect(answer.text).toMatch(/^problem: /)
        expect(answer.approvals).toEqual([])
      }
    })
  })

  describe('that was made', () => {
    it('can be taken back for a day', async () => {
      const device = await makeDevice('Mu')
      const { id } = await made(rename('Mu', 'Mu two'))
      house.time.ahead = 25 * 3_600_000
      const late = await undo(id)
      expect(late).toMatchObject({ status: 409, body: { code: 'assistant.cannot_undo' } })
      expect(late.body.message).toContain('more than 24 hours')
      house.time.ahead = 0
      expect((await undo(id)).body.state).toBe('undone')
      expect(await nameOf(device.id)).toBe('Mu')
    })

    it('is taken back once, however often it is clicked', async () => {
      await makeDevice('Nu')
      const { id } = await made(rename('Nu', 'Nu two'))
      const clicks = await Promise.all([1, 2, 3].map(() => undo(id)))
      expect(clicks.map(click => click.status).sort()).toEqual([200, 409, 409])
    })

    it('says when it cannot be taken back any more, and may be tried again', async () => {
      const device = await makeDevice('Xi')
      const { id } = await made(rename('Xi', 'Xi two'))
      const now = (await house.send(token, 'GET', `devices/${device.id}`)).body
      await house.send(token, 'PATCH', `devices/${device.id}`, { version: now.version, name: 'Xi by hand' })
      const tried = await undo(id)
      expect(tried.body).toMatchObject({ state: 'done', steps: [{ state: 'done' }] })
      expect(tried.body.steps[0].outcome).toContain('Could not be undone')
      expect((await undo(id)).status).toBe(200)
      expect(await nameOf(device.id)).toBe('Xi by hand')
    })

    it('is compared with what is there now: what somebody changed since stays, and nothing at all is written', async () => {
      const device = await makeDevice('Tau')
      const other = await makeDevice('Tau beside')
      const { id } = await made(
        `plan ${JSON.stringify([
          { tool: 'disable_device', input: { device: 'Tau' } },
          { tool: 'rename_device', input: { device: 'Tau beside', name: 'Tau besides' } },
        ])}`,
      )
      const now = (await house.send(token, 'GET', `devices/${device.id}`)).body
      const note = { version: now.version, description: 'Broken, stays off' }
      expect((await house.send(token, 'PATCH', `devices/${device.id}`, note)).status).toBe(200)
      const tried = (await undo(id)).body as ApprovalCard
      expect(tried).toMatchObject({ state: 'done', undoable: true, steps: [{ state: 'done' }, { state: 'done' }] })
      expect(tried.steps[0]!.outcome).toContain('“Tau” was changed since')
      expect(tried.steps[0]!.outcome).toContain('nothing was taken back')
      expect(await lifecycleOf(device.id)).toBe('disabled')
      expect(await nameOf(other.id)).toBe('Tau besides')
      expect(await logOf(id, 'assistant.undo')).toMatchObject([{ after: { refused: ['Tau'] } }])
      // Enabled by hand, it is not to be taken back either.
      await house.send(token, 'POST', `devices/${device.id}/enable`)
      expect((await undo(id)).body.steps[0].outcome).toContain('was changed since')
      await house.send(token, 'DELETE', `devices/${device.id}`)
      await house.send(token, 'DELETE', `devices/${device.id}`)
      expect((await undo(id)).body.steps[0].outcome).toContain('not there any more')
      expect(await nameOf(other.id)).toBe('Tau besides')
    })

    it('is not taken away when somebody has gone on with it', async () => {
      const answer = await house.ask(token, `use create_product ${JSON.stringify({ name: 'Gone on with' })}`)
      const { id } = await answer.asked()
      await decide(id, 'once')
      await answer.ended
      const product = (await house.send(token, 'GET', 'products?q=Gone on with')).body.items[0]
      await house.send(token, 'PATCH', `products/${product.id}`, { version: product.version, name: 'Ours now' })
      expect((await undo(id)).body.steps[0].outcome).toContain('was changed since')
      expect((await house.send(token, 'GET', `products/${product.id}`)).body.name).toBe('Ours now')
    })

    it('is never taken back where it moved a device, whatever its tool says', async () => {
      const device = await makeDevice('Digamma')
      const card = await made('use turn_device {"device":"Digamma"}')
      expect(card).toMatchObject({ state: 'done', undoable: false, steps: [{ undoable: false }] })
      // Kept by a version before.
      const way = [{ route: 'POST /api/v1/devices/{id}/disable', params: { id: device.id } }]
      await house.db.superuser.query(
        `update assistant_approvals set steps = jsonb_set(steps, '{0,undo}', $2::jsonb) where id = $1`,
        [card.id, JSON.stringify(way)],
      )
      expect((await house.send(token, 'GET', `assistant/approvals/${card.id}`)).body.undoable).toBe(false)
      const tried = await undo(card.id)
      expect(tried).toMatchObject({ status: 409, body: { code: 'assistant.cannot_undo' } })
      expect(tried.body.message).toContain('device commands cannot')
      expect(await lifecycleOf(device.id)).toBe('inactive')
    })

    it('is taken back in a plan without the step that moved a device', async () => {
      const device = await makeDevice('Phi')
      const { id } = await made(
        `plan ${JSON.stringify([
          { tool: 'turn_device', input: { device: 'Phi' } },
          { tool: 'rename_device', input: { device: 'Phi', name: 'Phi two' } },
        ])}`,
      )
      const undone = (await undo(id)).body as ApprovalCard
      expect(undone.steps.map(({ state, undoable }) => [state, undoable])).toEqual([
        ['done', false],
        ['undone', false],
      ])
      expect([await nameOf(device.id), await lifecycleOf(device.id)]).toEqual(['Phi', 'inactive'])
    })

    it('is named as not undoable where it is not', async () => {
      await makeDevice('Omicron')
      const card = await made('use remove_device {"device":"Omicron"}')
      expect(card.undoable).toBe(false)
      expect((await undo(card.id)).body.code).toBe('assistant.cannot_undo')
    })
  })

  it('expires after a day', async () => {
    await makeDevice('Pi')
    const answer = await house.ask(token, rename('Pi', 'Pi two'))
    const card = await answer.asked()
    answer.cut()
    house.time.ahead = 25 * 3_600_000
    expect((await house.send(token, 'GET', `assistant/approvals/${card.id}`)).body.state).toBe('expired')
    expect((await decide(card.id, 'once')).body.code).toBe('assistant.already_decided')
    await house.assistant.sweep(Date.now() + house.time.ahead)
    house.time.ahead = 0
    expect((await house.send(token, 'GET', `assistant/approvals/${card.id}`)).body.state).toBe('expired')
  })

  it('tells no secret: not to the engine, not on the screen, not in what is kept', async () => {
    const answer = await house.ask(token, `use create_device ${JSON.stringify({ product: productId, name: 'Hidden' })}`)
    await decide((await answer.asked()).id, 'once')
    await answer.ended
    const { rows } = await house.db.superuser.query('select steps::text from assistant_approvals where id = $1', [
      answer.approvals[0]!.id,
    ])
    const kept = JSON.parse(rows[0].steps)[0].results[0]
    expect(kept.deviceSecret).toBe('[secret]')
    expect(answer.raw).toContain('Added Hidden; secret [secret].')
    const read = await house.ask(token, 'use read_device {"device":"Hidden"}')
    await read.ended
    expect(read.text).toContain('"deviceSecret":"[secret]"')
    expect(read.raw).not.toContain('canary')
  })

  it('still happens when the server was started anew between card and decision', async () => {
    const device = await makeDevice('Rho')
    const answer = await house.ask(token, rename('Rho', 'Rho two'))
    const card = await answer.asked()
    house = await house.restart()
    await answer.ended
    expect(answer.events.at(-1)).toMatchObject({ kind: 'error', code: 'server.stopping' })
    expect((await house.send(token, 'GET', `assistant/approvals/${card.id}`)).body.state).toBe('pending')
    expect((await decide(card.id, 'once')).body.state).toBe('done')
    expect(await nameOf(device.id)).toBe('Rho two')
    expect((await undo(card.id)).body.state).toBe('undone')
  })

  const rename = (device: string, name: string) => `use rename_device ${JSON.stringify({ device, name })}`
  const decide = (id: string, decision: string) => house.send(token, 'POST', `assistant/approvals/${id}`, { decision })
  const undo = (id: string) => house.send(token, 'POST', `assistant/approvals/${id}/undo`)
  async function made(question: string): Promise<ApprovalCard> {
    const answer: Answer = await house.ask(token, question)
    const { id } = await answer.asked()
    const { body } = await decide(id, 'once')
    await answer.ended
    return body
  }
  async function makeDevice(name: string): Promise<{ id: string; version: number }> {
    return (await house.send(token, 'POST', 'devices', { productId, name })).body
  }
  async function makeRole(permissions: string[]): Promise<string> {
    const body = {
      name: `role ${newId().slice(-12)}`,
      permissions,
      menuKeys: ['/manage/device'],
      dataScope: { kind: 'all' },
    }
    const made = await house.send(token, 'POST', 'roles', body)
    expect(made.body).toHaveProperty('id')
    return made.body.id
  }
  const nameOf = async (id: string) => (await house.send(token, 'GET', `devices/${id}`)).body.name
  const lifecycleOf = async (id: string) => (await house.send(token, 'GET', `devices/${id}`)).body.lifecycle
  const countNamed = async (name: string) =>
    (await house.db.superuser.query('select 1 from devices where tenant_id = $1 and name = $2', [house.tenantId, name]))
      .rowCount
  async function logOf(objectId: string, action: string) {
    const { rows } = await house.db.superuser.query(
      'select after, user_agent from audit_logs where object_id = $1 and action = $2',
      [objectId, action],
    )
    return rows
  }
})
