import { CheckOutlined, CloseOutlined, ExclamationOutlined, MinusOutlined } from '@ant-design/icons'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { Diagnosis, DiagnosisFinding, DiagnosisStep } from '@thingwright/contracts/diagnosis.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { Panel } from '../../../ui/panel.tsx'
import { PayloadView } from '../../../ui/payload-view.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import css from './diagnose.module.css'
import { wordsOf } from './finding-words.ts'
import { FixButtons } from './fix-buttons.tsx'
import { useDiagnosis } from './use-diagnosis.ts'

const ICON = {
  ok: <CheckOutlined aria-hidden />,
  warning: <ExclamationOutlined aria-hidden />,
  broken: <CloseOutlined aria-hidden />,
  unknown: <MinusOutlined aria-hidden />,
}
const TIMES = new Set(['signedInAt', 'lastAt', 'storedAt'])
const SHOWN_FACTS = new Set([
  'linkType',
  'port',
  'signedInAt',
  'transport',
  'address',
  'lastAt',
  'framesInMemory',
  'format',
  'properties',
  'storedAt',
  'queued',
  'subscriptions',
])

/** The way of the device's messages, step by step, with the first that fails and what to do about it. */
export function DiagnoseTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('diagnose')
  const reads = useLiveReads(
    [`device/${device.id}/state`],
    only('diagnosis.device', { params: { id: device.id } }),
    () => 'again',
  )
  const query = useDiagnosis(device.id, { reads })
  const { data } = query
  return (
    <Panel
      title={t('title')}
      hint={t('hint')}
      actions={
        <Button loading={query.isFetching} onClick={() => void query.refetch()}>
          {t('again')}
        </Button>
      }
    >
      {query.isError && !data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !data ? (
        <div className={css.bone} />
      ) : (
        <>
          <Verdict diagnosis={data} device={device} />
          <ol className={css.steps}>
            {data.steps.map(step => (
              <Step key={step.step} step={step} device={device} main={data.step === step.step} />
            ))}
          </ol>
        </>
      )}
    </Panel>
  )
}

function Verdict({ diagnosis, device }: { diagnosis: Diagnosis; device: DeviceView }) {
  const { t } = useTranslation('diagnose')
  const step = diagnosis.steps.find(each => each.step === diagnosis.step)
  const finding = step?.findings[0]
  const kind = diagnosis.verdict === 'healthy' ? 'ok' : diagnosis.verdict === 'waiting' ? 'unknown' : diagnosis.verdict
  return (
    <div
      className={css.verdict}
      data-state={kind}
      role="status"
      data-testid="diagnosis-verdict"
      data-cause={diagnosis.cause ?? ''}
    >
      <span className={css.verdictIcon}>{ICON[kind]}</span>
      <div className={css.verdictText}>
        <b>{finding ? t(`cause.${finding.cause}`) : t(`verdict.${diagnosis.verdict}`)}</b>
        <span>
          {finding ? (
            <FindingWords finding={finding} />
          ) : diagnosis.verdict === 'healthy' ? (
            t('verdictText.healthy')
          ) : (
            ''
          )}
        </span>
        {finding && <FixButtons device={device} finding={finding} />}
      </div>
      <span className={css.at}>{t('checkedAt', { time: formatDateTime(diagnosis.at) })}</span>
    </div>
  )
}

/** The sentence of a cause with its evidence in it. */
export function FindingWords({ finding }: { finding: DiagnosisFinding }) {
  const { t } = useTranslation('diagnose')
  const { t: devices } = useTranslation('devices')
  const words = wordsOf(finding, t, reason => devices(`offlineReason.${reason}`, { defaultValue: reason }))
  return <>{t(`causeText.${finding.cause}`, words)}</>
}

function Step({ step, device, main }: { step: DiagnosisStep; device: DeviceView; main: boolean }) {
  const { t } = useTranslation('diagnose')
  const facts = Object.entries(step.facts).flatMap(([key, value]) => {
    if (!SHOWN_FACTS.has(key) || value === null || value === '') return []
    const shown = TIMES.has(key)
      ? formatDateTime(value as number)
      : Array.isArray(value)
        ? value.join(', ') || '–'
        : String(value)
    return [{ key, shown }]
  })
  return (
    <li className={css.step} data-state={step.state} data-step={step.step}>
      <span className={css.stepIcon}>{ICON[step.state]}</span>
      <div className={css.stepBody}>
        <div className={css.stepHead}>
          <b>{t(`step.${step.step}`)}</b>
          <span className={css.stepState}>{t(`state.${step.state}`)}</span>
          <span className={css.stepText}>{t(`stepText.${step.step}`)}</span>
        </div>
        {facts.length > 0 && (
          <p className={css.facts}>
            {facts.map(({ key, shown }) => (
              <span key={key}>
                {t(`fact.${key}`)} <code>{shown}</code>
              </span>
            ))}
          </p>
        )}
        {step.findings.map((finding, n) => (
          // The first of the main step is told above, with its fixes.
          <div key={finding.cause} className={css.finding} data-severity={finding.severity}>
            <b>{t(`cause.${finding.cause}`)}</b>
            {!(main && n === 0) && (
              <span>
                <FindingWords finding={finding} />
              </span>
            )}
            {finding.at && (
              <small>
                {t('lastShown')} {formatDateTime(finding.at)}
              </small>
            )}
            {finding.hex && <PayloadView hex={finding.hex} text={textOf(finding.hex)} />}
            {!(main && n === 0) && <FixButtons device={device} finding={finding} />}
          </div>
        ))}
      </div>
    </li>
  )
}

/** The bytes as text when they are text. */
function textOf(hex: string): string | null {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
