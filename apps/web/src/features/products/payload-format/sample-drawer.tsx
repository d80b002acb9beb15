import { Button, Drawer, Input, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import products from '../products.module.css'
import css from './format.module.css'
import { asHex } from './format-draft.ts'
import type { Sample } from './samples.tsx'
import { parsed } from './tester.tsx'

/** One sample: its frame, and what must come out. */
export function SampleDrawer({
  sample,
  taken,
  onSave,
  onClose,
}: {
  sample: Sample
  /** Names of the other samples. */
  taken: readonly string[]
  onSave: (sample: Sample) => Promise<void>
  onClose: () => void
}) {
  const { t } = useTranslation('payload-format')
  const [name, setName] = useState(sample.name)
  const [direction, setDirection] = useState(sample.direction)
  const [encoding, setEncoding] = useState<'text' | 'hex'>(sample.encoding === 'hex' ? 'hex' : 'text')
  const [payload, setPayload] = useState(sample.payload)
  const [expected, setExpected] = useState(sample.expected ? JSON.stringify(sample.expected, null, 2) : '')
  const [command, setCommand] = useState(
    JSON.stringify(sample.command ?? { kind: 'property_set', params: {} }, null, 2),
  )
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const problems = {
    name: name.trim() === '' ? t('samples.needsName') : taken.includes(name.trim()) ? t('samples.nameTaken') : null,
    payload:
      encoding === 'hex' && payload.trim() !== '' && asHex(payload) === null
        ? t('notHex')
        : direction === 'up' && payload === ''
          ? t('samples.needsFrame')
          : null,
    expected: direction === 'up' && expected.trim() !== '' && parsed(expected) === null ? t('notJson') : null,
    command: direction === 'down' && parsed(command) === null ? t('notJson') : null,
  }
  const wrong = (key: keyof typeof problems) =>
    tried && problems[key] ? (
      <p className={css.problem} role="alert">
        {problems[key]}
      </p>
    ) : null
  const save = async () => {
    setTried(true)
    if (Object.values(problems).some(problem => problem !== null)) return
    setBusy(true)
    setFailure(null)
    try {
      await onSave({
        name: name.trim(),
        direction,
        encoding,
        payload: encoding === 'hex' ? (asHex(payload) ?? '') : payload,
        ...(sample.port === undefined ? {} : { port: sample.port }),
        ...(direction === 'up' && expected.trim() !== '' ? { expected: parsed(expected) ?? {} } : {}),
        ...(direction === 'up' && expected.trim() === '' && sample.expectedReason
          ? { expectedReason: sample.expectedReason }
          : {}),
        ...(direction === 'down' ? { command: parsed(command) as NonNullable<Sample['command']> } : {}),
      })
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Drawer
      open
      size={560}
      title={t(sample.name ? 'samples.edit' : 'samples.add')}
      onClose={onClose}
      footer={
        <div className={products.drawerFoot}>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="primary" loading={busy} onClick={() => void save()}>
            {t('save')}
          </Button>
        </div>
      }
    >
      {failure !== null && <FormAlert error={failure} />}
      <div className={css.grid} style={{ gridTemplateColumns: '1fr', marginTop: 0 }}>
        <div>
          <span>{t('samples.name')}</span>
          <Input
            aria-label={t('samples.name')}
            value={name}
            maxLength={64}
            autoFocus
            onChange={event => setName(event.target.value)}
          />
          {wrong('name')}
        </div>
        <div className={css.bar} style={{ marginBottom: 0 }}>
          <Segmented
            value={direction}
            options={[
              { value: 'up', label: t('up') },
              { value: 'down', label: t('down') },
            ]}
            onChange={next => setDirection(next as Sample['direction'])}
          />
          <Segmented
            value={encoding}
            options={[
              { value: 'text', label: t('text') },
              { value: 'hex', label: 'HEX' },
            ]}
            onChange={next => setEncoding(next as 'text' | 'hex')}
          />
        </div>
        {direction === 'down' && (
          <div>
            <span>{t('samples.command')}</span>
            <Input.TextArea
              aria-label={t('samples.command')}
              className={css.mono ?? ''}
              rows={6}
              value={command}
              spellCheck={false}
              onChange={event => setCommand(event.target.value)}
            />
            {wrong('command')}
          </div>
        )}
        <div>
          <span>{t(direction === 'up' ? 'payload' : 'samples.mustSend')}</span>
          <Input.TextArea
            aria-label={t('payload')}
            className={css.mono ?? ''}
            rows={4}
            value={payload}
            spellCheck={false}
            onChange={event => setPayload(event.target.value)}
          />
          {wrong('payload')}
        </div>
        {direction === 'up' && (
          <div>
            <span>{t('samples.expected')}</span>
            <Input.TextArea
              aria-label={t('samples.expected')}
              className={css.mono ?? ''}
              rows={6}
              value={expected}
              spellCheck={false}
              placeholder='{"temperature": 21.5}'
              onChange={event => setExpected(event.target.value)}
            />
            <small>{t('samples.expectedHelp')}</small>
            {wrong('expected')}
          </div>
        )}
      </div>
    </Drawer>
  )
}
