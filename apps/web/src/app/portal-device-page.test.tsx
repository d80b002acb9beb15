// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { device } from './testing/company.ts'
import { openConsole, refusal } from './testing/open-console.tsx'

const portal = {
  suffix: 'pumps',
  appId: 'app',
  name: 'Pumps',
  nameEn: 'Pumps',
  colour: '#1f5eff',
  language: 'auto',
  home: 'devices',
  menus: [{ section: 'devices', zh: '', en: 'Devices' }],
  images: [],
  stamp: '1',
}
const model = {
  model: { properties: [{ identifier: 'valve', name: 'Valve', dataType: { type: 'bool' }, access: 'rw' }] },
}
const command = (state: string, over: object = {}) => ({
  id: 'c1',
  deviceId: 'd1',
  state,
  errorCode: null,
  errorMessage: null,
  ...over,
})

/** The page of a device with a valve that is switched on; its command is in these states, one after the other. */
async function switchOn(states: object[]) {
  let values = { items: [{ identifier: 'valve', value: false, ts: Date.now(), quality: 'good' }] }
  const opened = await openConsole('/w/pumps/devices/d1', {
    'GET /api/v1/public/portals/pumps': () => portal,
    'GET /api/v1/devices/d1': () => device({ name: 'Pump 1', link: 'online' }),
    'GET /api/v1/devices/d1/thing-model': () => model,
    'GET /api/v1/devices/d1/properties': () => values,
    'POST /api/v1/devices/d1/commands': () => command('queued'),
    'GET /api/v1/devices/d1/commands/c1': () => {
      const next = states.length > 1 ? states.shift()! : states[0]!
      if ((next as { state?: string }).state === 'succeeded') values = { items: [{ ...values.items[0]!, value: true }] }
      return next instanceof Response ? next.clone() : next
    },
  })
  const valve = () => document.querySelector<HTMLButtonElement>('[role=switch][aria-label=Valve]')
  await expect.poll(valve, { timeout: 5_000 }).not.toBeNull()
  valve()!.click()
  return { ...opened, valve }
}
const outcome = () => document.querySelector('[role=status]')?.textContent
const slow = { timeout: 10_000 }

it('says of a command in the portal what became of it, and shows the new value with it', async () => {
  const { valve } = await switchOn([command('sent'), command('succeeded')])
  await expect.poll(outcome, slow).toBe('Sent, waiting for the device')
  await expect.poll(outcome, slow).toBe('Done')
  await expect.poll(() => valve()?.getAttribute('aria-checked'), slow).toBe('true')
}, 30_000)

it('says why a device did not do it', async () => {
  await switchOn([command('rejected', { errorCode: '7', errorMessage: 'locked by hand' })])
  await expect.poll(outcome, slow).toBe('The device rejected it · locked by hand')
}, 30_000)

it('keeps the last known state of a command that cannot be read', async () => {
  await switchOn([refusal(403, 'permission.denied')])
  await expect.poll(outcome, slow).toBe('Waiting for the device to come online')
}, 30_000)
