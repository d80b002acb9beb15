import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '../lib/ids.ts'
import { PATIENCE } from '../lib/testing/patience.ts'
import { type ScriptedHouse, scriptedHouse } from './testing/scripted-house.ts'

/** Tools that read, as a reply uses them: their bounds, their questions back, and how they fail. */
describe('a tool that only reads', () => {
  let house: ScriptedHouse
  let token: string
  let productId: string
  beforeAll(async () => {
    house = await scriptedHouse()
    token = await house.token('owner')
    productId = (await house.send(token, 'POST', 'products', { name: 'Pumps', linkType: 'mqtt' })).body.id
  })
  afterAll(() => house.close())

  it('is bounded in calls and in what it reads', async () => {
    const many = await house.ask(token, 'many 42')
    await many.ended
    expect(
      many.text
        .trim()
        .split('\n')
        .map(line => line.split(':')[0]),
    ).toEqual(['40', '41'])
    const much = await house.ask(token, 'use read_much {"characters":300000}')
    await much.ended
    expect(much.text).toContain('read as much as it may')
    expect(much.raw.length).toBeLessThan(5000)
  })

  it('breaks without telling of the inside', async () => {
    const answer = await house.ask(token, 'use break_down {}')
    await answer.ended
    expect(answer.text).toBe('problem: Something went wrong; please try again later.')
    expect(answer.cards.at(-1)).toMatchObject({ kind: 'activity', tool: 'break_down', state: 'failed' })
  })

  it('asks back with choices that lead on', async () => {
    const chatId = newId()
    const answer = await house.ask(token, 'use ask_back {}', { chatId })
    await answer.ended
    const choices = answer.cards.find(card => card.kind === 'choices')!
    expect(choices.options.map(option => option.input)).toEqual(['Pump (e-pump)', 'Pump (-other)', 'Boiler'])
    const after = await house.ask(token, 'history', { chatId })
    await after.ended
    expect(JSON.parse(after.text).waiting).toMatchObject({
      tool: 'ask_back',
      field: 'device',
      options: [{ value: 'id-of-one-pump' }, { value: 'id-of-other' }, { label: 'Boiler', value: 'id-of-boiler' }],
    })
  })

  it('is told what its input should be', async () => {
    for (const [input, problem] of [
      ['{"characters":"many"}', 'characters must be of type integer.'],
      ['{}', 'characters is missing.'],
      ['{"characters":1,"evil":1}', 'There is no argument evil.'],
      ['[]', 'The arguments must be an object.'],
    ]) {
      const answer = await house.ask(token, `use read_much ${input}`)
      await answer.ended
      expect(answer.text).toBe(`problem: ${problem}`)
    }
  })

  it('knows what was spoken of before, and what the page shows', async () => {
    const [one, other] = [await makeDevice('Sigma'), await makeDevice('Tau')]
    const chatId = newId()
    await (await house.ask(token, 'use read_device {"device":"Sigma"}', { chatId })).ended
    const it = await house.ask(token, 'use read_device {}', { chatId })
    await it.ended
    expect(it.text).toContain('It is called Sigma.')
    const page = await house.ask(token, 'use read_device {}', { chatId, query: { deviceId: other.id } })
    await page.ended
    expect(page.text).toContain('It is called Tau.')
    const foreign = await house.ask(token, 'use read_device {}', { query: { deviceId: newId() } })
    expect(foreign.status).toBe(404)
    expect(one.id).not.toBe(other.id)
  })

  it('says who can grant the right that is missing, and leaves a line in the operation log', async () => {
    const member = await house.token('powerless', ['member:read'])
    const answer = await house.ask(member, 'use read_device {"device":"x"}')
    await answer.ended
    expect(answer.text).toContain('(device:read)')
    expect(answer.text).toContain('(/manage/role)')
    await vi.waitFor(async () => {
      const { rows } = await house.db.superuser.query(
        `select after from audit_logs where tenant_id = $1 and result = 'refused' and actor_name like 'powerless%'`,
        [house.tenantId],
      )
      expect(JSON.stringify(rows)).toContain('device:read')
    }, PATIENCE)
  })

  async function makeDevice(name: string): Promise<{ id: string }> {
    return (await house.send(token, 'POST', 'devices', { productId, name })).body
  }
})
