import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../lib/clock.ts'
import type { RegistrationAnswer } from '../../modules/device-identity/registration.port.ts'
import { RegistrationDesk } from './registration-desk.ts'
import { ReplayGuard } from './replay-guard.ts'

const ask = (desk: RegistrationDesk, address: string, productKey = 'pk') =>
  desk.register({ kind: 'registration', productKey, deviceNo: 'd', productSecret: 's', address, transport: 'mqtt' })
const limited = { ok: false, reason: 'rate_limited' }

describe('the registration desk', () => {
  it('counts by address and by product, and forgives with time', async () => {
    const clock = new ManualClock()
    const given = { ok: true, deviceSecret: 'x' } as const
    const desk = new RegistrationDesk({ ask: async () => given, clock, perAddress: 2, perProduct: 3 })
    expect(await ask(desk, '10.0.0.1:1')).toEqual(given)
    expect(await ask(desk, '10.0.0.1:2')).toEqual(given)
    expect(await ask(desk, '10.0.0.1:3')).toEqual(limited)
    expect(await ask(desk, '10.0.0.2:1')).toEqual(given)
    expect(await ask(desk, '10.0.0.3:1')).toEqual(limited)
    expect(await ask(desk, '10.0.0.3:1', 'another')).toEqual(given)
    clock.advance(60_000)
    expect(await ask(desk, '10.0.0.1:4')).toEqual(given)
  })

  it('asks for a few at a time only, and says so when nobody answers', async () => {
    const clock = new ManualClock()
    const answers: ((answer: RegistrationAnswer | null) => void)[] = []
    const desk = new RegistrationDesk({ ask: () => new Promise(resolve => answers.push(resolve)), clock, parallel: 1 })
    const first = ask(desk, '10.0.0.1:1')
    expect(await ask(desk, '10.0.0.2:1')).toEqual(limited)
    answers[0]!(null)
    expect(await first).toEqual({ ok: false, reason: 'unavailable' })
  })
})

describe('signed times', () => {
  it('count near our own time and once for each device', () => {
    const clock = new ManualClock()
    const guard = new ReplayGuard(clock)
    const now = clock.now()
    expect([now, now - 900_000, now + 900_000, now - 900_001, now + 900_001].map(at => guard.isFresh(at))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect([guard.take(1, now), guard.take(1, now), guard.take(2, now), guard.take(1, now + 1)]).toEqual([
      true,
      false,
      true,
      true,
    ])
  })
})
