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
}
