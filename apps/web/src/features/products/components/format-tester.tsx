import { useMutation } from '@tanstack/react-query'
import type { ThingModel } from '@thingwright/thing-model'
import { Alert, Button, Input, Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from '../products.module.css'

export interface Trial {
  channel: 'property' | 'event'
  identifier: string
  payload: string
  draft: boolean
}

/** Runs a payload the way the device path would, without storing anything. */
export function FormatTester({
  productId,
  model,
  hasPublished,
  trial,
  onChange,
}: {
  productId: string
  model: ThingModel
  hasPublished: boolean
  trial: Trial
  onChange: (trial: Trial) => void
}) {
  const { t } = useTranslation('products')
  const put = (part: Partial<Trial>) => onChange({ ...trial, ...part })
  const run = useMutation({
    meta: { ownError: true },
    mutationFn: () =>
      call('products.tryFormat', {
        params: { id: productId },
        body: {
          channel: trial.channel,
          payload: trial.payload,
          ...(trial.channel === 'event' ? { identifier: trial.identifier } : {}),
          ...(trial.draft || !hasPublished ? { draft: true } : {}),
        },
      }),
  })
  const ready = trial.payload.trim() !== '' && (trial.channel === 'property' || trial.identifier !== '')
  return (
    <div className={css.tester} id="tester">
      <div className={css.testerBar}>
        <Segmented
          value={trial.channel}
          options={[
            { value: 'property', label: t('channelProperty') },
            { value: 'event', label: t('channelEvent'), disabled: model.events.length === 0 },
          ]}
          onChange={channel => put({ channel: channel as Trial['channel'] })}
        />
        {trial.channel === 'event' && (
          <Select
            aria-label={t('of.event')}
            placeholder={t('of.event')}
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
        <Button type="primary" loading={run.isPending} disabled={!ready} onClick={() => run.mutate()}>
          {t('run')}
        </Button>
      </div>
      <div className={css.testerBody}>
        <Input.TextArea
          className={css.code ?? ''}
          aria-label={t('payload')}
          value={trial.payload}
          rows={14}
          spellCheck={false}
          placeholder='{"temperature": 21.5}'
          onChange={event => put({ payload: event.target.value })}
        />
        <div className={css.result} aria-live="polite">
          {run.isError ? (
            <FormAlert error={run.error} />
          ) : run.data === undefined ? (
            <p className={css.hint}>{t('resultHere')}</p>
          ) : run.data.ok ? (
            <>
              <StatusTag kind="success">{t('accepted', { count: run.data.rows.length })}</StatusTag>
              {run.data.rows.map((row, at) => (
                // Rows of an answer have no identity but their place.
                <div key={`${row.ts}/${at}`} className={css.resultRow}>
                  <div className={css.resultTime}>
                    {formatDateTime(row.ts, { millis: true })} · {t(`quality.${row.quality}`)}
                  </div>
                  <table className={css.values}>
                    <tbody>
                      {Object.entries(row.values).map(([identifier, value]) => (
                        <tr key={identifier}>
                          <th scope="row">{identifier}</th>
                          <td>{JSON.stringify(value)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              ))}
            </>
          ) : (
            <Alert
              type="error"
              showIcon
              title={t(`refusal.${run.data.reason ?? 'other'}`, { defaultValue: run.data.reason ?? '' })}
              description={
                <>
                  {run.data.path && (
                    <div>
                      {t('at')} <code>{run.data.path}</code>
                    </div>
                  )}
                  {typeof run.data.detail === 'string' && <div>{run.data.detail}</div>}
                </>
              }
            />
          )}
        </div>
      </div>
    </div>
  )
}
