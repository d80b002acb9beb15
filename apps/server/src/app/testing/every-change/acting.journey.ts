import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Commands, templates, batches and imports: what acts on devices, at once or in the background. */
export async function acting(house: ChangeHouse, things: Things): Promise<void> {
  const { go, call, owner, container, held } = house
  const product = { id: things.productId }
  const device = { id: things.deviceId }
  const command = await go('commands.create', {
    params: device,
    body: { kind: 'property_set', params: { a: 1 }, acknowledged: true },
  })
  await go('commands.cancel', { params: { ...device, commandId: command.id } })
  await go('diagnosis.simulate', { params: device, body: { kind: 'property', values: { a: 1 } } })
  await go('diagnosis.send', { params: device, body: { hex: '0102', acknowledged: true } })

  const body = { params: [], payload: { kind: 'property_set', values: { a: 2 } } }
  const template = await go('commandTemplates.create', { params: product, body: { code: 'two', name: 'Two', body } })
  const copy = await go('commandTemplates.duplicate', { params: { ...product, templateId: template.id } })
  await go('commandTemplates.update', {
    params: { ...product, templateId: template.id },
    body: { code: 'two', name: 'Two of them', body, version: template.version },
  })
  await go('commandTemplates.order', { params: product, body: { ids: [copy.id, template.id] } })
  await go('commandTemplates.remove', { params: { ...product, templateId: copy.id } })
  await go('commandTemplates.preview', { params: product, body: { body, params: {} } })
  const schedule = await go('commandTemplates.addSchedule', {
    params: product,
    body: { templateId: template.id, everySeconds: 3600 },
  })
  await go('commandTemplates.setSchedule', {
    params: { ...product, scheduleId: schedule.id },
    body: { everySeconds: 7200, version: schedule.version },
  })
  await container.commands.runners.schedules.tick()
  await held('a periodic read')
  await go('commandTemplates.removeSchedule', { params: { ...product, scheduleId: schedule.id } })
  const { version } = await call<{ version: number }>('GET', `/products/${product.id}/command-rules`, owner)
  await go('commandTemplates.setRules', { params: product, body: { rules: { expirySeconds: 600 }, version } })

  const target = { deviceIds: [device.id] }
  const setting = { kind: 'property_set', params: { a: 3 }, acknowledged: true }
  const batch = await go('commandBatches.create', { body: { target, command: setting } })
  await go('commandBatches.cancel', { params: { id: batch.id } })
  const sending = await go('commandBatches.create', { body: { target, command: setting } })
  while (await container.commands.runners.batches.step());
  await held('a batch of commands in the background')
  await house.db.superuser.query(`update commands set state = 'expired', finished_at = now() where batch_id = $1`, [
    sending.id,
  ])
  while (await container.commands.runners.batches.step());
  await go('commandBatches.retry', { params: { id: sending.id }, body: { acknowledged: true } })
}

/** Many devices at once, by a choice and by a table. */
export async function many(house: ChangeHouse, things: Things): Promise<void> {
  const { go, held, ended } = { ...house, ended: (id: string) => taskEnded(house, id) }
  const one = await go('devices.create', { body: { name: 'Batch', productId: things.productId } })
  const target = { ids: [one.id] }
  await go('deviceBatches.preview', { body: { target } })
  for (const change of [
    { action: 'disable' },
    { action: 'enable' },
    { action: 'move', groupId: things.groupId },
    { action: 'tags', add: ['x'], remove: [] },
    { action: 'offlineDelay', seconds: 600 },
    { action: 'recycle' },
    { action: 'restore' },
    { action: 'recycle' },
  ]) {
    const { taskId } = await go('deviceBatches.create', { body: { target, change } })
    await ended(taskId)
    await held(`a batch of devices in the background (${change.action})`)
  }
  const failing = await go('deviceBatches.create', { body: { target, change: { action: 'disable' } } })
  await ended(failing.taskId)
  await go('deviceBatches.retry', { params: { id: failing.id } })
  await held('a batch of devices, tried again')

  const table = await go('deviceImports.upload', {
    file: { name: 'devices.csv', bytes: 'no,name,group\nSN-1,Row one,Halls/New\nSN-2,Row two,\n', type: 'text/csv' },
  })
  const begun = await go('deviceImports.create', {
    body: {
      fileId: table.id,
      table: 0,
      columns: ['deviceNo', 'name', 'group'],
      productId: things.productId,
      existing: 'update',
      createGroups: true,
      dryRun: false,
    },
  })
  await ended(begun.taskId)
  await held('an import of devices in the background')
  await go('deviceImports.secrets', { params: { id: begun.id } })
}

/** Waits until a background task is over. */
export async function taskEnded(house: ChangeHouse, id: string): Promise<string> {
  for (;;) {
    const { state } = await house.call<{ state: string }>('GET', `/tasks/${id}`, house.owner)
    if (!['queued', 'running'].includes(state)) return state
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
