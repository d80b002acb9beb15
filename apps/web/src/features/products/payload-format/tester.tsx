import { UP_CHANNELS } from '@thingwright/contracts/formats.words'
import type { ThingModel } from '@thingwright/thing-model/model'
import { Button, Input, Segmented, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body, Reply } from '../../../lib/api-client.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import css from './format.module.css'
import { asHex, bytesOf, type FormatBody } from './format-draft.ts'
import { FrameBytes } from './frame-bytes.tsx'
import { TryResult } from './try-result.tsx'

export type TryReply = Reply<'formats.tryFormat'>

export interface Trial {
  direction: 'up' | 'down'
  /** raw: in the product's format; the others are the standard JSON topics. */
  channel: 'raw' | 'property' | 'event'
  identifier: string
  payload: string
  encoding: 'text' | 'hex'
  /** Downwards: which service, '' for a property set. */
  service: string
  /** Downwards: the parameters as JSON. */
  params: string
  draft: boolean
}

export const NO_TRIAL: Trial = {
  direction: 'up',
  channel: 'raw',
  identifier: '',
  payload: '',
  encoding: 'text',
  service: '',
  params: '{}',
  draft: false,
}

/** Runs a frame, or a command, the way the device path would, without storing or sending anything. */
export function Tester({
  productId,
  model,
  format,
  dirty,
  hasPublished,
  trial,
  onChange,
  onKeep,
}: {
  productId: string
  model: ThingModel
  format: FormatBody
  dirty: boolean
  hasPublished: boolean
  trial: Trial
  onChange: (trial: Trial) => void
  /** Keeps what was tried, with what came out, as a sample. */
  onKeep: ((trial: Trial, result: TryReply) => void) | undefined
}) {
  const { t } = useTranslation('payload-format')
  const put = (part: Partial<Trial>) => onChange({ ...trial, ...part })
  const params = parsed(trial.params)
  const run = useAct('formats.tryFormat', { own: false })
  /** What the shown result is of. */
  const [tried, setTried] = useState(trial)
  const result = run.reply
  const start = () => {
    setTried(trial)
    const input = { params: { id: productId }, body: bodyOf(trial, dirty ? format : null, hasPublished) }
    // Its refusal stands below.
    run.send(input).catch(() => {})
  }
  const bytes = trial.direction === 'up' ? bytesOf(trial.payload, trial.encoding) : null
  const ready =
    trial.direction === 'down'
      ? params !== null
      : trial.payload.trim() !== '' && bytes !== null && (trial.channel !== 'event' || trial.identifier !== '')
  return (
    <div id="tester" data-testid="format-tester">
      <div className={css.bar}>
        <Segmented
          value={trial.direction}
          options={[
            { value: 'up', label: t('up') },
            { value: 'down', label: t('down') },
          ]}
          onChange={direction => put({ direction: direction as Trial['direction'] })}
        />
        {trial.direction === 'up' ? (
          <>
            <Select
              aria-label={t('channel')}
              value={trial.channel}
              popupMatchSelectWidth={false}
              options={UP_CHANNELS.map(channel => ({
                value: channel,
                label: t(`channels.${channel}`),
                disabled: channel === 'event' && model.events.length === 0,
              }))}
              onChange={channel => put({ channel })}
            />
            {trial.channel === 'event' && (
              <Select
                aria-label={t('event')}
                placeholder={t('event')}
                value={trial.identifier || null}
                popupMatchSelectWidth={false}
                style={{ minWidth: 160 }}
                options={model.events.map(event => ({
                  value: event.identifier,
                  label: `${event.name} · ${event.identifier}`,
                }))}
                onChange={(identifier: string | null) => put({ identifier: identifier ?? '' })}
              />
            )}
            <Segmented
              value={trial.encoding}
              options={[
                { value: 'text', label: t('text') },
                { value: 'hex', label: 'HEX' },
              ]}
              onChange={encoding => put({ encoding: encoding as Trial['encoding'] })}
            />
          </>
        ) : (
          <Select
            aria-label={t('command')}
            value={trial.service}
            popupMatchSelectWidth={false}
            options={[
              { value: '', label: t('propertySet') },
              ...model.services.map(service => ({
                value: service.identifier,
                label: `${service.name} · ${service.identifier}`,
              })),
            ]}
            onChange={service => put({ service })}
          />
        )}
        {hasPublished && (
          <Segmented
            value={trial.draft ? 'draft' : 'published'}
            options={[
              { value: 'published', label: t('againstPublished') },
              { value: 'draft', label: t('againstDraft') },
            ]}
            onChange={against => put({ draft: against === 'draft' })}
          />
        )}
        <span className={css.grow} />
        {onKeep && result && <Button onClick={() => onKeep(tried, result)}>{t('keepAsSample')}</Button>}
        <Button type="primary" loading={run.pending} disabled={!ready} onClick={start}>
          {t('run')}
        </Button>
      </div>
      <div className={css.tester}>
        <div>
          {trial.direction === 'up' ? (
            <Input.TextArea
              className={css.mono ?? ''}
              aria-label={t('payload')}
              value={trial.payload}
              rows={12}
              spellCheck={false}
              placeholder={trial.encoding === 'hex' ? '01 03 04 00 D7 01 E0' : '{"temperature": 21.5}'}
              {...(trial.payload !== '' && bytes === null ? { status: 'error' as const } : {})}
              onChange={event => put({ payload: event.target.value })}
            />
          ) : (
            <Input.TextArea
              className={css.mono ?? ''}
              aria-label={t('params')}
              value={trial.params}
              rows={12}
              spellCheck={false}
              placeholder='{"switch": true}'
              {...(params === null ? { status: 'error' as const } : {})}
              onChange={event => put({ params: event.target.value })}
            />
          )}
          {trial.payload !== '' && bytes === null && trial.direction === 'up' && (
            <p className={css.problem}>{t('notHex')}</p>
          )}
          {params === null && trial.direction === 'down' && <p className={css.problem}>{t('notJson')}</p>}
        </div>
        <div className={css.result} aria-live="polite">
          {run.error !== null ? (
            <FormAlert error={run.error} />
          ) : result === undefined ? (
            <p className={css.quiet}>{t(dirty ? 'resultHereUnsaved' : 'resultHere')}</p>
          ) : (
            <>
              <TryResult result={result} />
              {bytes && result.fields.length > 0 && <FrameBytes bytes={bytes} fields={result.fields} />}
            </>
          )}
        </div>
      </div>
    </div>
  )
}

/** @param format the one being written; null: the saved one */
function bodyOf(asked: Trial, format: FormatBody | null, hasPublished: boolean): Body<'formats.tryFormat'> {
  return {
    direction: asked.direction,
    ...(format ? { format } : {}),
    ...(asked.draft || !hasPublished ? { draft: true } : {}),
    ...(asked.direction === 'down'
      ? {
          command: {
            kind: asked.service === '' ? ('property_set' as const) : ('service' as const),
            ...(asked.service === '' ? {} : { identifier: asked.service }),
            params: parsed(asked.params) ?? {},
          },
        }
      : {
          channel: asked.channel,
          payload: asked.encoding === 'hex' ? (asHex(asked.payload) ?? '') : asked.payload,
          encoding: asked.encoding,
          ...(asked.channel === 'event' ? { identifier: asked.identifier } : {}),
        }),
  }
}

/** JSON of an object, or null. */
export function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
