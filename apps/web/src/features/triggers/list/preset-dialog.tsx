import { Alert, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import css from '../triggers.module.css'

/** Keeps copies of triggers under a name, to be applied to products from the page of alarm templates. */
export function KeepPresetDialog({ ids, onClose }: { ids: string[]; onClose: () => void }) {
  const { t } = useTranslation('triggers')
  const [name, setName] = useState('')
  const create = useAct('triggerPresets.create', {
    notice: false,
    done(reply) {
      notify.success(t('preset.kept', { name: reply.name }))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={480}
      title={t('preset.title')}
      okText={t('preset.keep')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: create.pending, disabled: name.trim() === '' }}
      onOk={() => void create.run({ body: { name: name.trim(), triggerIds: ids } })}
      onCancel={onClose}
    >
      <div className={css.dialog}>
        {create.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(create.error).message} />}
        <p>{t('preset.text')}</p>
        <Input
          aria-label={t('preset.name')}
          placeholder={t('preset.name')}
          value={name}
          maxLength={64}
          onChange={event => setName(event.target.value)}
        />
      </div>
    </Modal>
  )
}
