import { securityContract as c } from '@thingwright/contracts/security.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, refusal, type SecurityHouse, securityHouse } from '../../db/testing/security-house.ts'
import { relyingParty } from './passkeys.ts'
import { softwareAuthenticator } from './testing/authenticator.ts'

interface Ceremony {
  challengeId: string
  options: { challenge: string; user: { id: string }; rp?: { id: string }; rpId?: string; userVerification?: string }
}

describe('passkeys', () => {
  let house: SecurityHouse
  beforeAll(async () => {
    house = await securityHouse({ fixedUrl: null })
  })
  afterAll(() => house.db.drop())

  async function someone() {
    const person = await house.company()
    const ctx = await house.ctxOf((await house.signIn(person.username)).access_token)
    await house.call(c.prove, ctx, { body: { method: 'password', password: PASSWORD } })
    return { ...person, ctx }
  }
  async function withPasskey() {
    const person = await someone()
    const key = softwareAuthenticator()
    const { challengeId, options } = await house.call<Ceremony>(c.passkeyBegin, person.ctx)
    const view = await house.call<{ id: string; name: string }>(c.passkeyAdd, person.ctx, {
      body: { challengeId, name: '笔记本', response: key.create(options) },
    })
    return { ...person, key, view }
  }
  const begin = (ticket?: string) => house.call<Ceremony>(c.passkeyOptions, null, { body: ticket ? { ticket } : {} })
  const signIn = (challengeId: string, response: unknown) =>
    house.module.service.token(
      'cli',
      { grant_type: 'passkey', challenge_id: challengeId, response: JSON.stringify(response) },
      house.peer(),
    )

  it('are made and sign in alone, without name and password', async () => {
    const person = await withPasskey()
    expect(person.view.name).toBe('笔记本')
    const { challengeId, options } = await begin()
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    const reply = await signIn(challengeId, person.key.get(options))
    expect(reply.username).toBe(person.username)
  })

  it.each([
    ['another site’s name', { rpId: 'evil.example' }],
    ['another site’s address', { origin: 'https://evil.example' }],
    ['the same host on another port', { origin: 'http://localhost:9999' }],
    ['another challenge', { challenge: Buffer.from('something else').toString('base64url') }],
    ['the answer to a registration', { type: 'webauthn.create' }],
    ['nobody having touched or unlocked it', { verified: false }],
    ['somebody else’s handle', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
  ])('do not sign in with %s', async (_name, lie) => {
    const person = await withPasskey()
    const { challengeId, options } = await begin()
    expect((await refusal(signIn(challengeId, person.key.get(options, lie)))).code).toBe('auth.passkey_refused')
    // The control: the same key with the truth.
    const again = await begin()
    expect((await signIn(again.challengeId, person.key.get(again.options))).username).toBe(person.username)
  })

  it('answer a challenge once, and within five minutes', async () => {
    const person = await withPasskey()
    const { challengeId, options } = await begin()
    // Keys kept in password managers do not count, so that a replay is not found by its counter.
    const answer = person.key.get(options, { counter: 0 })
    await signIn(challengeId, answer)
    expect((await refusal(signIn(challengeId, answer))).code).toBe('auth.passkey_refused')
    const late = await begin()
    house.now += 5 * 60_000
    expect((await refusal(signIn(late.challengeId, person.key.get(late.options)))).code).toBe('auth.passkey_refused')
  })

  it('that were copied are found out: a counter that does not grow is refused', async () => {
    const person = await withPasskey()
    const first = await begin()
    await signIn(first.challengeId, person.key.get(first.options, { counter: 50 }))
    const second = await begin()
    expect((await refusal(signIn(second.challengeId, person.key.get(second.options, { counter: 50 })))).code).toBe(
      'auth.passkey_refused',
    )
  })

  it.each([
    ['nothing', undefined],
    ['text', 'x'],
    ['a list', []],
    ['no parts', { id: 'x' }],
    ['rubbish in each part', { id: 'x', response: { clientDataJSON: '!', authenticatorData: '!', signature: '!' } }],
    ['a long id', { id: 'x'.repeat(5000), response: {} }],
  ])('sent as %s are refused, not an error of ours', async (_name, response) => {
    const { challengeId } = await begin()
    expect((await refusal(signIn(challengeId, response))).code).toBe('auth.passkey_refused')
    expect((await refusal(signIn('not-an-id', response))).code).toBe('auth.passkey_refused')
  })

  it('are not taken from another site, nor twice, nor for somebody else’s challenge', async () => {
    const person = await someone()
    const other = await someone()
    const add = (ctx: typeof person.ctx, challengeId: string, response: unknown) =>
      house.call(c.passkeyAdd, ctx, { body: { challengeId, name: 'k', response } })
    const key = softwareAuthenticator()
    const a = await house.call<Ceremony>(c.passkeyBegin, person.ctx)
    expect((await refusal(add(person.ctx, a.challengeId, key.create(a.options, { rpId: 'evil.example' })))).code).toBe(
      'security.passkey_refused',
    )
    const b = await house.call<Ceremony>(c.passkeyBegin, person.ctx)
    expect((await refusal(add(other.ctx, b.challengeId, key.create(b.options)))).code).toBe('security.passkey_refused')
    const first = await house.call<Ceremony>(c.passkeyBegin, person.ctx)
    await add(person.ctx, first.challengeId, key.create(first.options))
    const again = await house.call<Ceremony>(c.passkeyBegin, other.ctx)
    expect((await refusal(add(other.ctx, again.challengeId, key.create(again.options)))).code).toBe(
      'security.passkey_known',
    )
  })

  it('finish a sign-in as second step, but only the person’s own', async () => {
    const person = await withPasskey()
    const stranger = await withPasskey()
    await house.call(c.setFactors, person.ctx, { body: { factors: ['passkey'] } })
    const ticketOf = async () => String((await refusal(house.signIn(person.username))).params.ticket)
    const step = (ticket: string, ceremony: Ceremony, response: unknown) =>
      house.module.service.token(
        'cli',
        {
          grant_type: 'second_factor',
          ticket,
          method: 'passkey',
          challenge_id: ceremony.challengeId,
          response: JSON.stringify(response),
        },
        house.peer(),
      )
    const wrongTicket = await ticketOf()
    const wrong = await begin(wrongTicket)
    expect((await refusal(step(wrongTicket, wrong, stranger.key.get(wrong.options)))).code).toBe(
      'auth.second_factor_wrong',
    )
    const ticket = await ticketOf()
    const ceremony = await begin(ticket)
    expect((await step(ticket, ceremony, person.key.get(ceremony.options))).username).toBe(person.username)
    // A challenge for signing in is not one for the second step.
    const mixedTicket = await ticketOf()
    const plain = await begin()
    expect((await refusal(step(mixedTicket, plain, person.key.get(plain.options)))).code).toBe(
      'auth.second_factor_wrong',
    )
  })

  it('can be renamed and removed by their owner only, and no longer sign in', async () => {
    const person = await withPasskey()
    const other = await someone()
    for (const operation of [c.passkeyRename, c.passkeyRemove])
      expect(
        (await refusal(house.call(operation, other.ctx, { params: { id: person.view.id }, body: { name: 'x' } }))).code,
      ).toBe('security.passkey_not_found')
    await house.call(c.passkeyRemove, person.ctx, { params: { id: person.view.id } })
    const { challengeId, options } = await begin()
    expect((await refusal(signIn(challengeId, person.key.get(options)))).code).toBe('auth.passkey_refused')
  })

  it.each([
    [null, 'localhost:8080', 'localhost', ['http://localhost:8080']],
    [null, 'iot.example', 'iot.example', ['https://iot.example']],
    ['https://iot.example:8443', 'evil.example', 'iot.example', ['https://iot.example:8443']],
  ])('belong to PUBLIC_URL %s, else to the host asked for (%s)', (publicUrl, host, id, origins) => {
    expect(relyingParty(publicUrl, host)).toEqual({ id, origins })
  })
  it.each([
    [null, '127.0.0.1:8080'],
    [null, '[::1]:8080'],
    [null, undefined],
    ['http://iot.example', 'iot.example'],
  ])('are not offered where browsers have none: %s %s', (publicUrl, host) => {
    expect(() => relyingParty(publicUrl, host)).toThrowError('security.passkey_context')
  })
})
