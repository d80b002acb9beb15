import { hashOf, imageOf } from '@thingwright/device-sdk/testing/board'
import { describe, expect, it } from 'vitest'
import { type FirmwareLife, FirmwareUnit } from './unit.ts'

const GOOD = imageOf('2.0.0', { bytes: 60_000 })

/** A platform that tells one unit of one package until it has heard the version, and hands out its bytes. */
function run(life: Partial<FirmwareLife>, image = GOOD, announced = hashOf(image)) {
  const said: string[] = []
  const informed: string[] = []
  let unit: FirmwareUnit
  let lives = 0
  let settle: () => void = () => {}
  let fail = (_error: Error) => {}
  const begin = () => {
    unit.online().catch(fail)
  }
  const notify = { id: 'j1', version: '2.0.0', size: image.length, sha256: announced, chunk: { bytes: 4096 } }
  const tell = () => unit.receive('ota/notify', Buffer.from(JSON.stringify(notify)))
  unit = new FirmwareUnit(
    'pk',
    { version: '1.0.0', transport: 'chunks', ...life },
    {
      post(suffix, payload, acknowledged) {
        const body = JSON.parse(payload) as Record<string, number> & {
          state?: string
          version?: string
          message?: string
        }
        setImmediate(() => {
          acknowledged()
          if (suffix === 'ota/inform') {
            informed.push(body.version!)
            if (body.version === '2.0.0') settle()
            else if (lives < 8) tell()
          } else if (suffix === 'ota/progress') {
            said.push(body.message ? `${body.state} ${body.message}` : body.state!)
            if (body.state === 'rejected' || body.state === 'failed') settle()
          } else if (suffix === 'ota/request') {
            const { offset, length, count } = body as { offset: number; length: number; count: number }
            for (let i = 0; i < count; i++) {
              const at = offset + i * length
              unit.receive(`ota/data/j1/${at}`, image.subarray(at, at + length))
            }
          }
        })
        return true
      },
      reset: () => {
        lives++
        setImmediate(() => begin())
      },
      bricked: () => settle(),
    },
  )
  const settled = new Promise<void>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  begin()
  return { unit, said, informed, settled, lives: () => lives }
}

describe('the firmware of a simulated device', () => {
  it.each(['downloading', 'downloaded', 'verified', 'installing', 'trial'] as const)(
    'is the new one after all when power is lost while %s',
    async powerLossIn => {
      for (const torn of [true, false]) {
        const { unit, settled, informed, lives } = run({ powerLossIn, torn })
        await settled
        expect(unit.ran.at(-1)).toBe('2.0.0')
        expect(informed.at(-1)).toBe('2.0.0')
        // One restart for the swap, one for the loss of power; a write that happens whole may be the swap itself.
        expect(lives()).toBeGreaterThanOrEqual(torn ? 2 : 1)
        expect(unit.board.crashes).toBe(0)
      }
    },
  )

  it.each([
    ['flash', 'failed hash_mismatch'],
    ['crash', 'failed trial_failed'],
    ['refuse', 'rejected battery_low'],
  ] as const)('stays the old one with the fault %s', async (fault, last) => {
    const { unit, settled, said } = run({ fault })
    await settled
    expect(said.at(-1)).toBe(last)
    expect(unit.version).toBe('1.0.0')
    expect(unit.isBricked).toBe(false)
  })

  it('is gone for good on a careless device that is given a bad image, which an honest one refuses', async () => {
    const bad = Buffer.from(GOOD)
    bad[30_000]! ^= 1
    const careless = run({ behaviour: 'careless' }, bad, hashOf(GOOD))
    await careless.settled
    expect(careless.unit.isBricked).toBe(true)
    const honest = run({}, bad, hashOf(GOOD))
    await honest.settled
    expect(honest.said.at(-1)).toBe('failed hash_mismatch')
    expect(honest.unit.version).toBe('1.0.0')
    const lucky = run({ behaviour: 'careless' })
    await lucky.settled
    expect(lucky.unit.version).toBe('2.0.0')
  })
})
