import type { ScriptedHouse } from '../scripted-house.ts'
import type { Changer } from './house.ts'

/** What the assistant changes for somebody who allows it, and its settings. */
export async function assistant(house: ScriptedHouse, { go, held }: Changer, token: string): Promise<void> {
  const product = await go('products.create', { body: { name: 'Pumps', linkType: 'mqtt' } })
  const device = await go('devices.create', { body: { name: 'Alpha', productId: product.id } })
  const answer = await house.ask(token, `use rename_device ${JSON.stringify({ device: 'Alpha', name: 'Beta' })}`)
  const card = await answer.asked()
  await go('assistant.decide', { params: { id: card.id }, body: { decision: 'once' } })
  await answer.ended
  await go('assistant.undo', { params: { id: card.id } })
  await go('assistant.rate', { params: { id: answer.replyId }, body: { rating: 'up' } })
  const waiting = await house.ask(token, `use rename_device ${JSON.stringify({ device: 'Alpha', name: 'Gamma' })}`)
  await waiting.asked()
  await go('assistant.stop', { params: { id: waiting.replyId } })
  await waiting.ended
  await held(`a reply about ${device.id}`)
  await go('assistant.setSettings', { body: { engine: 'builtin' } })
  await go('assistant.clearChats')
  const last = await house.ask(token, 'hello', { chatId: '01900000-0000-7000-8000-0000000000aa' })
  await last.ended
  await go('assistant.removeChat', { params: { id: '01900000-0000-7000-8000-0000000000aa' } })
}
