import { call } from '../../lib/api-client.ts'
import { loadTexts, locale, text } from '../../lib/i18n.ts'
import { notify } from '../../lib/notify.ts'

/** Says that a task of the person has ended, on whatever page he is. */
export async function sayEnded(id: string): Promise<void> {
  const [task] = await Promise.all([call('tasks.get', { params: { id } }), loadTexts('tasks')])
  const words = { name: task.title[locale()], count: task.failedCount }
  if (task.state === 'failed')
    notify.error(text('tasks:ended.failed', words), task.error ? { detail: task.error.message } : {})
  else if (task.state === 'cancelled') notify.info(text('tasks:ended.cancelled', words))
  else if (task.state === 'partial') notify.warning(text('tasks:ended.partly', words))
  else notify.success(text('tasks:ended.succeeded', words))
}
