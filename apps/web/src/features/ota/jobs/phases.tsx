import { CheckOutlined, CloseOutlined } from '@ant-design/icons'
import type { OtaJobView } from '@thingwright/contracts/ota.contract'
import { useTranslation } from 'react-i18next'
import css from './jobs.module.css'
import { phasesOf } from './phase-marks.ts'

/** The way of one update in a row: what is behind it, where it is, what is to come. */
export function Phases({ job }: { job: OtaJobView }) {
  const { t } = useTranslation('ota')
  return (
    <ol className={css.phases} aria-label={t('phases')}>
      {phasesOf(job).map(({ state, mark }) => (
        <li key={state} data-mark={mark} aria-current={mark === 'now' ? 'step' : undefined}>
          <span className={css.phaseDot} aria-hidden="true">
            {mark === 'done' ? <CheckOutlined /> : mark === 'bad' ? <CloseOutlined /> : null}
          </span>
          <span>{t(`jobState.${state}`)}</span>
        </li>
      ))}
    </ol>
  )
}
