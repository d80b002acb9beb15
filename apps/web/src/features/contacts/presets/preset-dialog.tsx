import type { TriggerPresetView } from '@thingwright/contracts/trigger-presets.contract'
import { Alert, Checkbox, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import css from '../contacts.module.css'

/** Renames a preset, and chooses which of its triggers stay. */
export function PresetDialog({ preset, onClose }: { preset: TriggerPresetView; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const [name, setName] = useState(preset.name)
  const [note, setNote] = useState(preset.note)
  const [kept, setKept] = useState(() => preset.triggers.map((_, i) => i))
  const update = useAct('triggerPresets.update', {
    notice: false,
    done() {
      notify.success(t('saved'))
      onClose()
    },
  })
  const save = () =>
    void update.run({
      params: { id: preset.id },
      body: {
        version: preset.version,
        name: name.trim(),
        note: note.trim(),
        triggers: preset.triggers.filter((_, i) => kept.includes(i)),
      },
    })
  return (
    <Modal
      open
      width={480}
      title={t('preset.edit')}
      okText={t('save')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: update.pending, disabled: name.trim() === '' || kept.length === 0 }}
      onOk={save}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {update.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(update.error).message} />}
        <Input
          aria-label={t('preset.name')}
          placeholder={t('preset.name')}
          value={name}
          maxLength={64}
          onChange={event => setName(event.target.value)}
        />
        <Input.TextArea
          aria-label={t('preset.note')}
          placeholder={t('preset.note')}
          value={note}
          maxLength={512}
          rows={2}
          onChange={event => setNote(event.target.value)}
        />
        <Checkbox.Group
          className={css.stack ?? ''}
          value={kept}
          options={preset.triggers.map((one, i) => ({ value: i, label: one.name }))}
          onChange={setKept}
        />
      </div>
    </Modal>
  )
}
