import { DIAGNOSIS_CAUSES, DIAGNOSIS_FIXES, DIAGNOSIS_STEPS } from '@thingwright/contracts/diagnosis.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ThingHouse, thingHouse } from '../../app/testing/thing-house.ts'
import { ToolProblem } from '../../lib/tools/tools.ts'
import doctor from './doctor-words.json' with { type: 'json' }

let house: ThingHouse
beforeAll(async () => {
  house = await thingHouse()
})
afterAll(() => house?.close())

const failure = async (promise: Promise<unknown>): Promise<{ text?: string; code?: string }> =>
  promise.then(
    () => {
      throw new Error('it did not fail')
    },
    error => error,
  )

describe('the doctor in words', () => {
  it('names the first broken step, what to do and where', async () => {
    const id = await house.device('没来过的')
    const told = await house.read(house.owner, 'diagnose_device', { device: '没来过的' })
    expect(told.data).toMatchObject({ cause: 'never_connected' })
    expect(told.text).toContain(doctor.zh.cause.never_connected)
    expect(told.text).toContain(doctor.zh.causeText.never_connected)
    expect(told.text).toContain(`DeviceCenter?id=${id}&tab=diagnose`)
    expect((told.cards as { rows: unknown[] }[])[0]!.rows).toHaveLength(DIAGNOSIS_STEPS.length)
    await house.call(house.owner, 'POST /api/v1/devices/{id}/disable', { params: { id } })
    const off = await house.read(house.en, 'diagnose_device', { device: '没来过的' })
    expect(off.data).toMatchObject({ verdict: 'broken', brokenStep: 'sign_in', cause: 'device_disabled' })
    expect(off.text).toContain('The device is disabled')
  })

  it('has no placeholder left over, and words for everything the doctor can say', () => {
    for (const words of [doctor.zh, doctor.en]) {
      for (const cause of DIAGNOSIS_CAUSES)
        expect([words.cause[cause], words.causeText[cause]], cause).not.toContain(undefined)
      for (const fix of DIAGNOSIS_FIXES) expect(words.fix[fix], fix).toBeTruthy()
      expect(JSON.stringify(words)).not.toContain('{{')
    }
  })

  it('does not tell of what the asker may not see', async () => {
    const stranger = await house.person('stranger', ['device:read'], {
      scope: { kind: 'limited', groupIds: [], productIds: [], own: true },
    })
    expect(await failure(house.read(stranger, 'diagnose_device', { device: '没来过的' }))).toBeInstanceOf(ToolProblem)
    const nobody = await house.person('nobody')
    expect((await failure(house.read(nobody, 'diagnose_device', { device: '没来过的' }))).code).toBe(
      'permission.denied',
    )
  })
})

it('refused sign-ins and frames of a product are told, also when there are none', async () => {
  expect((await house.read(house.en, 'refused_sign_ins', { product: '冷库温控器' })).text).toContain('No sign-in')
  expect((await house.read(house.en, 'refused_frames', { product: '冷库温控器' })).text).toContain('No frame')
})
