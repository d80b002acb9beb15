import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Alert, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'

export function RemoveDialog({ card, onClose }: { card: SimCardView; onClose: () => void }) {
  const { t } = useTranslation('sim-cards')
  const remove = useAct('simCards.remove', {
    always: true,
    notice: false,
    done: () => {
      notify.success(t('removed'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle')}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id: card.id } })}
      onCancel={onClose}
    >
      {remove.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(remove.error).message} />}
      <p>{t('removeText', { iccid: card.iccid })}</p>
    </Modal>
  )
}
