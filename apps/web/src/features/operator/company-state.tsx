import type { CompanyRow } from '@thingwright/contracts/operator.contract'
import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../ui/status-tag.tsx'

const STATE = {
  inactive: 'disabled',
  frozen: 'error',
  expired: 'error',
  trial: 'processing',
  active: 'success',
  grace: 'warning',
} as const
const VERIFIED = { unverified: 'disabled', in_review: 'processing', verified: 'success', rejected: 'error' } as const

export function CompanyState({ status }: { status: CompanyRow['status'] }) {
  const { t } = useTranslation('operator')
  return <StatusTag kind={STATE[status]}>{t(`status.${status}`)}</StatusTag>
}

export function Verified({ value }: { value: CompanyRow['verification'] }) {
  const { t } = useTranslation('operator')
  return <StatusTag kind={VERIFIED[value]}>{t(`verified.${value}`)}</StatusTag>
}
