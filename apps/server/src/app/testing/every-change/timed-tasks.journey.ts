import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Timed tasks and scenes; calendars bring examples of their own. */
export async function timedTasks({ go }: ChangeHouse, { deviceId }: Things): Promise<void> {
  const actions = [
    { kind: 'command', scope: { deviceIds: [deviceId] }, command: { kind: 'property_set', params: { a: 1 } } },
    { kind: 'delay', seconds: 5 },
  ]
  const scene = await go('scenes.create', { body: { name: 'Rinse', actions } })
  const ofScene = { id: scene.id as string }
  await go('scenes.update', { params: ofScene, body: { version: scene.version, name: 'Rinse all' } })
  await go('scenes.run', { params: ofScene })

  const schedule = { kind: 'daily', times: ['08:00'] }
  await go('timedTasks.preview', { body: { schedule } })
  const task = await go('timedTasks.create', { body: { name: 'Morning', schedule, actions } })
  const params = { id: task.id as string }
  await go('timedTasks.update', { params, body: { version: task.version, name: 'Early' } })
  await go('timedTasks.disable', { params })
  await go('timedTasks.enable', { params })
  await go('timedTasks.run', { params, body: {} })
  await go('timedTasks.batch', { body: { ids: [params.id], action: 'disable' } })
  await go('timedTasks.remove', { params })
  await go('scenes.remove', { params: ofScene })
}
