import type { ChangeHouse } from './house.ts'

/** People who are told of alarms. */
export async function contacts({ go, base }: ChangeHouse): Promise<void> {
  const email = 'contact-of-alarms@acme.example'
  const made = await go('contacts.create', { body: { name: 'Duty', email } })
  const params = { id: made.id }
  await go('contacts.sendCode', { params })
  const reply = await fetch(`${base}/oauth/simulated-mail`)
  const { items } = (await reply.json()) as { items: { to: string; text: string }[] }
  const code = /\d{6}/.exec(items.find(mail => mail.to === email)?.text ?? '')?.[0]
  await go('contacts.verify', { params, body: { code } })
  await go('contacts.remove', { params })
  const trigger = await go('triggers.create', {
    body: { name: 'Told again', scope: { tags: ['nobody'] }, kind: 'offline', enabled: false, alarm: { level: 2 } },
  })
  const messages = { repeatMinutes: 30, perDay: 10, contactIds: [], groupIds: [], version: 0 }
  await go('notificationChannels.setTriggerMessages', { params: { id: trigger.id }, body: messages })
  // No such server: the message fails, and is sent once more.
  const channel = await go('notificationChannels.create', {
    body: { name: 'Hook', kind: 'webhook', provider: 'webhook', config: { url: 'https://nobody.invalid/' } },
  })
  const failed = await go('notificationChannels.test', { params: { id: channel.id }, body: {} })
  await go('notificationChannels.resend', { params: { id: failed.id } })
}
