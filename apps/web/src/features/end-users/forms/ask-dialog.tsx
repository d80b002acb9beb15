import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'

/** Changes that are done after one question. */
export type Asked = 'invite' | 'freeze' | 'unfreeze' | 'endSessions' | 'enter' | 'remove'
const DANGEROUS: ReadonlySet<Asked> = new Set<Asked>(['freeze', 'endSessions', 'remove'])

/** Says what will happen, then does it. */
export function AskDialog({
  what,
  user,
  onClose,
  onLink,
  onRemoved,
}: {
  what: Asked
  user: EndUserView
  onClose: () => void
  onLink: (name: string, link: string, sentTo: string | null) => void
  onRemoved?: () => void
}) {
  const { t } = useTranslation('end-users')
  const { attempt, pending } = useWork({ touches: ['endUsers', 'devices'] })
  const params = { id: user.id }
  const [entering, setEntering] = useState(false)
  const act = async () => {
    if (what === 'invite') {
      const { link, sentTo } = await call('endUsers.invite', { params, body: {} })
      return onLink(user.name, link, sentTo)
    }
    if (what === 'enter') {
      setEntering(true)
      const token = await call('endUsers.enter', { params }).finally(() => setEntering(false))
      return (await import('../../../lib/support-session.ts')).enterCompany(token)
    }
    if (what === 'endSessions') {
      const { ended } = await call('endUsers.endSessions', { params })
      notify.success(t('sessionsEnded', { count: ended }))
    } else {
      if (what === 'freeze') await call('endUsers.freeze', { params })
      else if (what === 'unfreeze') await call('endUsers.unfreeze', { params })
      else await call('endUsers.remove', { params })
      notify.success(t(`ask.${what}.done`, { name: user.name }))
    }
    onClose()
    if (what === 'remove') onRemoved?.()
  }
  return (
    <Modal
      open
      width={440}
      title={t(`ask.${what}.title`, { name: user.name })}
      okText={t(`ask.${what}.action`)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: DANGEROUS.has(what), loading: pending || entering }}
      onOk={() => void attempt(act)}
      onCancel={onClose}
    >
      <p>{t(`ask.${what}.text`, { name: user.name })}</p>
    </Modal>
  )
}
