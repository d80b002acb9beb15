import type { TriggerPresetView } from '@thingwright/contracts/trigger-presets.contract'
import { Alert, Checkbox, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import css from '../contacts.module.css'
import { TemplateCode } from '../template-code.tsx'

const CHANNELS = ['wechat', 'applet'] as const
const CODE = /^[A-Za-z0-9_-]*$/
type Channel = (typeof CHANNELS)[number]

/** The message template at WeChat that alarms of the preset use. */
function TemplateFields({
  channel,
  template,
  isWrong,
  onChange,
}: {
  channel: Channel
  template: TriggerPresetView['templates'][Channel]
  isWrong: boolean
  /** @param next undefined: there is none */
  onChange: (next: TriggerPresetView['templates'][Channel]) => void
}) {
  const { t } = useTranslation('contacts')
  const label = t(`preset.code_${channel}`)
  return (
    <>
      <TemplateCode
        channel={channel}
        label={label}
        code={template?.code ?? ''}
        body={template?.body ?? ''}
        isWrong={isWrong}
        onChange={(code, body) =>
          onChange(code === '' ? undefined : { ...template, code, ...(body === null ? {} : { body }) })
        }
      />
      {isWrong && <p role="alert">{t('preset.codeRule')}</p>}
      {template && (
        <Input.TextArea
          aria-label={`${label}: ${t('preset.fields')}`}
          placeholder={t('preset.fields')}
          maxLength={2000}
          rows={3}
          value={template.body ?? ''}
          onChange={event => onChange({ ...template, body: event.target.value })}
        />
      )}
    </>
  )
}

/** Renames a preset, chooses which of its triggers stay, and which message templates its alarms use. */
export function PresetDialog({ preset, onClose }: { preset: TriggerPresetView; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const [name, setName] = useState(preset.name)
  const [note, setNote] = useState(preset.note)
  const [kept, setKept] = useState(() => preset.triggers.map((_, i) => i))
  const [templates, setTemplates] = useState(preset.templates)
  const wrong = CHANNELS.filter(channel => !CODE.test(templates[channel]?.code ?? ''))
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
        templates,
      },
    })
  return (
    <Modal
      open
      width={480}
      title={t('preset.edit')}
      okText={t('save')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: update.pending, disabled: name.trim() === '' || kept.length === 0 || wrong.length > 0 }}
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
        <h4>{t('preset.codes')}</h4>
        <p className={css.muted}>{t('preset.codesText')}</p>
        {CHANNELS.map(channel => (
          <TemplateFields
            key={channel}
            channel={channel}
            template={templates[channel]}
            isWrong={wrong.includes(channel)}
            onChange={next =>
              setTemplates(({ [channel]: _, ...others }) => (next ? { ...others, [channel]: next } : others))
            }
          />
        ))}
      </div>
    </Modal>
  )
}
