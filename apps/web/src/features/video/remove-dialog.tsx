import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { Alert, Checkbox, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import css from './video.module.css'

/** Takes a camera from the list, and where asked from the vendor's account too. */
export function RemoveDialog({
  channel,
  onClose,
  onRemoved,
}: {
  channel: VideoChannelView
  onClose: () => void
  onRemoved: () => void
}) {
  const { t } = useTranslation('video')
  const [atVendor, setAtVendor] = useState(false)
  const remove = useAct('videoChannels.remove', {
    always: true,
    notice: false,
    touches: ['videoAccounts'],
    done: () => {
      notify.success(t('removed'))
      onRemoved()
      onClose()
    },
  })
  return (
    <Modal
      open
      width={440}
      title={t('removeTitle', { name: channel.name })}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id: channel.id }, query: atVendor ? { vendor: '1' } : {} })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {remove.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(remove.error).message} />}
        <p className={css.plain}>{t('removeText')}</p>
        {channel.serial !== null && (
          <Checkbox checked={atVendor} onChange={event => setAtVendor(event.target.checked)}>
            {t('removeAtVendor', { serial: channel.serial })}
          </Checkbox>
        )}
      </div>
    </Modal>
  )
}
