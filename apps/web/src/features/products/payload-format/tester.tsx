import { useMutation } from '@tanstack/react-query'
import type { ThingModel } from '@thingwright/thing-model/model'
import { Button, Input, Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../../lib/api-client.ts'
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
  const run = useMutation({
    meta: { ownError: true },
    mutationFn: (asked: Trial) =>
      call('formats.tryFormat', {
        params: { id: productId },
        body: {
          direction: asked.direction,
          ...(dirty ? { format } : {}),
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
        },
      }),
  })
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
              options={(['raw', 'property', 'event'] as const).map(channel => ({
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
        {onKeep && run.data && run.variables && (
          <Button onClick={() => run.data && run.variables && onKeep(run.variables, run.data)}>
            {t('keepAsSample')}
          </Button>
        )}
        <Button type="primary" loading={run.isPending} disabled={!ready} onClick={() => run.mutate(trial)}>
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
          {run.isError ? (
            <FormAlert error={run.error} />
          ) : run.data === undefined ? (
            <p className={css.quiet}>{t(dirty ? 'resultHereUnsaved' : 'resultHere')}</p>
          ) : (
            <>
              <TryResult result={run.data} />
              {bytes && run.data.fields.length > 0 && <FrameBytes bytes={bytes} fields={run.data.fields} />}
            </>
          )}
        </div>
      </div>
    </div>
  )
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
