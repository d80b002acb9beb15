import type { OtaPreview } from '@thingwright/contracts/ota.contract'
import { Alert } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Values } from '../../../ui/schema-form/field.ts'
import css from '../ota.module.css'
import { PathSteps } from '../packages/path-finder.tsx'
import own from './campaigns.module.css'
import { scopeIsWhole, scopeOf } from './plan-values.ts'
import type { Step } from './wizard-fields.tsx'

/** A person who types is waited for this long. */
const PAUSE_MS = 400
const PATHS = 6

/** Which devices the form means right now; null while it is not filled in that far. */
export function usePreview(packageId: string, values: Values) {
  const asked = scopeIsWhole(values)
    ? JSON.stringify({
        packageId,
        scope: scopeOf(values),
        supersede: values.supersede === true,
        allowDowngrade: values.allowDowngrade === true,
      })
    : null
  const [settled, setSettled] = useState(asked)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asked), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [asked])
  const query = useRead(
    'otaCampaigns.preview',
    { body: JSON.parse(settled ?? '{}') as never },
    { enabled: settled !== null, keep: true },
  )
  return { query, whole: asked !== null, settling: asked !== settled || query.isPlaceholderData }
}

/** How many devices that would be, which are left out and why, and how they would get there. */
export function Preview({ packageId, values }: { packageId: string; values: Values }) {
  const { t } = useTranslation('ota')
  const { query, whole, settling } = usePreview(packageId, values)
  return (
    <section className={own.sideCard} aria-label={t('preview.title')} aria-busy={settling} data-testid="preview">
      <h2>{t('preview.title')}</h2>
      {!whole ? (
        <p className={css.muted}>{t('preview.notYet')}</p>
      ) : query.isError ? (
        <p className={css.error} role="alert">
          {errorFacts(query.error).message}
        </p>
      ) : query.data ? (
        <PreviewNumbers data={query.data} stale={settling} />
      ) : (
        <div className={css.fleetBone} />
      )}
    </section>
  )
}

function PreviewNumbers({ data, stale }: { data: OtaPreview; stale: boolean }) {
  const { t } = useTranslation('ota')
  const left = (['upToDate', 'newer', 'noPath', 'busy'] as const).filter(key => data[key] > 0)
  const among = (['offline', 'versionUnknown'] as const).filter(key => data[key] > 0)
  return (
    <div className={css.stack} data-stale={stale}>
      <p className={own.bigNumber} aria-live="polite">
        <strong data-testid="targets">{formatNumber(data.targets)}</strong>
        <span className={css.muted}>{t('preview.of', { text: formatNumber(data.matching) })}</span>
      </p>
      {data.targets === 0 && <Alert type="warning" showIcon title={t('preview.nobody')} />}
      <dl className={own.sideFacts}>
        {among.map(key => (
          <div key={key}>
            <dt>{t(`preview.${key}`)}</dt>
            <dd>{formatNumber(data[key])}</dd>
          </div>
        ))}
        <div>
          <dt>{t('preview.bytes')}</dt>
          <dd>{formatBytes(data.totalBytes)}</dd>
        </div>
      </dl>
      {left.length > 0 && (
        <>
          <h3>{t('preview.left')}</h3>
          <dl className={own.sideFacts}>
            {left.map(key => (
              <div key={key}>
                <dt>{t(`preview.${key}`)}</dt>
                <dd>{formatNumber(data[key])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {data.paths.length > 0 && (
        <>
          <h3>{t('preview.paths')}</h3>
          <ul className={own.paths}>
            {data.paths.slice(0, PATHS).map(path => (
              <li key={path.fromVersion ?? ''}>
                <PathSteps path={path} />
                <span className={css.muted}>
                  {t('devicesCount', { count: path.devices, text: formatNumber(path.devices) })}
                </span>
              </li>
            ))}
          </ul>
          {data.paths.length > PATHS && (
            <p className={css.muted}>{t('preview.morePaths', { count: data.paths.length - PATHS })}</p>
          )}
        </>
      )}
    </div>
  )
}

/** A word of advice that fits the step. */
export function PreviewNotes({ step }: { step: Step }) {
  const { t } = useTranslation('ota')
  if (step === 'check') return null
  return (
    <section className={own.sideCard}>
      <h2>{t('advice.title')}</h2>
      <p className={css.muted}>{t(`advice.${step}`)}</p>
    </section>
  )
}
