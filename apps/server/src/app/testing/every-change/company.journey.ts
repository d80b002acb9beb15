import { taskEnded } from './acting.journey.ts'
import type { ChangeHouse } from './house.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The company itself: its profile, materials, inbox, programs and file. */
export async function company(house: ChangeHouse): Promise<void> {
  const { go, call, owner, held, db } = house
  const version = async () => (await call<{ version: number }>('GET', '/company', owner)).version
  await go('account.update', { body: { version: await version(), contactName: 'Li' } })
  await go('account.setBranding', {
    body: { version: await version(), title: '标题', titleEn: 'Title', logo: '', colour: '#0b3d91' },
  })
  await go('account.setRetention', { body: { auditDays: 400 } })
  const scan = await go('account.addFile', { file: { name: 'licence.png', bytes: PNG, type: 'image/png' } })
  await go('account.submitVerification', {
    body: {
      legalName: 'Every change',
      creditCode: '91350100M000100Y43',
      legalPerson: 'Li',
      note: '',
      fileIds: [scan.id],
    },
  })
  const grant = await go('account.grantSupport', { body: { hours: 2, mayWrite: true } })
  await go('account.endSupport', { params: { id: grant.id } })

  const folder = await go('media.createFolder', { body: { name: 'Pictures' } })
  await go('media.updateFolder', { params: { id: folder.id }, body: { version: folder.version, name: 'Photos' } })
  const picture = { name: 'one.png', bytes: PNG, type: 'image/png' }
  const media = await go('media.upload', { body: { folderId: folder.id }, file: picture })
  const other = await go('media.upload', { file: { ...picture, bytes: Buffer.concat([PNG, Buffer.from('x')]) } })
  const fresh = async (id: string) => (await call<{ version: number }>('GET', `/media/${id}`, owner)).version
  await go('media.update', { params: { id: media.id }, body: { version: await fresh(media.id), name: 'first.png' } })
  await go('media.replace', { params: { id: media.id }, body: { version: await fresh(media.id) }, file: picture })
  await go('media.batch', { body: { ids: [media.id], addTags: ['y'] } })
  await go('media.remove', { params: { id: media.id } })
  await go('media.removeMany', { body: { ids: [other.id] } })
  await go('media.removeFolder', { params: { id: folder.id } })

  const { rows } = await db.superuser.query(
    `insert into notices (id, tenant_id, kind, title_zh, title_en) values (gen_random_uuid(), $1, 'test', 'x', 'x') returning id`,
    [house.tenantId],
  )
  await go('notifications.read', { params: { id: rows[0].id } })
  await go('notifications.readAll')
  await go('notifications.remove', { params: { id: rows[0].id } })

  const { taskId } = await go('audit.verify')
  await taskEnded(house, taskId)
  await held('the verification of the log')
}

/** The company as a file, out and in, and its tasks. */
export async function moving(house: ChangeHouse): Promise<void> {
  const { go, held, base, owner, container } = house
  const begun = await go('transfer.export', { body: { materials: true, passphrase: null, telemetryDays: 0 } })
  await taskEnded(house, begun.taskId)
  await held('an export of the company')
  const file = await fetch(`${base}/api/v1/tasks/${begun.taskId}/file`, {
    headers: { authorization: `Bearer ${owner}` },
  })
  await held('the file of a task that is taken')
  const bytes = Buffer.from(await file.arrayBuffer())
  const upload = await go('transfer.upload', { file: { name: 'company.zip', bytes, type: 'application/zip' } })
  const kinds = ['settings', 'groups', 'roles', 'products', 'devices', 'materials']
  const bring = { fileId: upload.id, kinds, existing: 'replace', dryRun: false, passphrase: null }
  const brought = await go('transfer.import', { body: bring })
  await taskEnded(house, brought.taskId)
  await held('an import of the company')
  await container.tasks.runner.stop()
  const waiting = await go('audit.verify')
  await go('tasks.cancel', { params: { id: waiting.taskId } })
  await go('tasks.retry', { params: { id: waiting.taskId } })
}
