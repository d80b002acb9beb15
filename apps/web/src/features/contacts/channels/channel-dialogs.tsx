import { PERSONAL_CHANNELS } from '@thingwright/contracts/contacts.words'
import type { NotificationChannelView } from '@thingwright/contracts/notification-channels.contract'
import { Alert, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import css from '../contacts.module.css'

interface DialogProps {
  channel: NotificationChannelView
  onClose: () => void
}

const PERSONAL = new Set<string>(PERSONAL_CHANNELS)

/** Sends one message and shows what the provider said. */
export function TestDialog({ channel, onClose }: DialogProps) {
  const { t } = useTranslation('contacts')
  const [to, setTo] = useState('')
  const test = useAct('notificationChannels.test', { always: true, notice: false, touches: ['contacts'] })
  const needsAddress = PERSONAL.has(channel.kind)
  return (
    <Modal
      open
      width={480}
      title={t('channel.testTitle', { name: channel.name })}
      okText={t('channel.test')}
      cancelText={t('close')}
      okButtonProps={{ loading: test.pending, disabled: needsAddress && to.trim() === '' }}
      onOk={() => void test.run({ params: { id: channel.id }, body: needsAddress ? { to: to.trim() } : {} })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {needsAddress && (
          <Input
            aria-label={t('channel.to')}
            placeholder={t('channel.to')}
            value={to}
            maxLength={254}
            onChange={event => setTo(event.target.value)}
          />
        )}
        {test.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(test.error).message} />}
        {test.reply?.state === 'sent' && (
          <Alert
            type="success"
            showIcon
            role="status"
            title={t(test.reply.simulated ? 'channel.testSimulated' : 'channel.testSent')}
            description={<p className={css.content}>{test.reply.content}</p>}
          />
        )}
        {test.reply && test.reply.state !== 'sent' && (
          <Alert
            type="error"
            showIcon
            role="alert"
            title={t('channel.testFailed')}
            description={test.reply.reason ?? ''}
          />
        )}
      </div>
    </Modal>
  )
}

export function RemoveChannelDialog({ channel, onClose }: DialogProps) {
  const { t } = useTranslation('contacts')
  const remove = useAct('notificationChannels.remove', {
    always: true,
    notice: false,
    done: () => {
      notify.success(t('channel.removed'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('channel.removeTitle')}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id: channel.id } })}
      onCancel={onClose}
    >
      {remove.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(remove.error).message} />}
      <p dir="auto">{t('channel.removeText', { name: channel.name })}</p>
    </Modal>
  )
}
