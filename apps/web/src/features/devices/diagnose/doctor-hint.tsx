import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { deviceAddress } from '../addresses.ts'
import css from './diagnose.module.css'
import { FindingWords } from './diagnose-tab.tsx'
import { useDiagnosis } from './use-diagnosis.ts'

/** One sentence of the doctor beside a light that stays dark. */
export function DoctorHint({ device }: { device: Pick<DeviceView, 'id'> }) {
  const { t } = useTranslation('diagnose')
  const { data } = useDiagnosis(device.id, { everyMs: 5_000 })
  const finding = data?.steps.find(step => step.step === data.step)?.findings[0]
  if (!finding) return null
  return (
    <div className={css.hint} data-testid="doctor-hint" data-cause={finding.cause} role="status">
      <b>{t(`cause.${finding.cause}`)}</b>
      <span>
        <FindingWords finding={finding} />
      </span>
      <Link to={`${deviceAddress(device.id)}&tab=diagnose`}>{t('openDoctor')}</Link>
    </div>
  )
}
