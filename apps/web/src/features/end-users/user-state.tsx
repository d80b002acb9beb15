import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { useTranslation } from 'react-i18next'
import { type StatusKind, StatusTag } from '../../ui/status-tag.tsx'

const KIND: Record<EndUserView['state'], StatusKind> = {
  active: 'success',
  invited: 'processing',
  frozen: 'disabled',
  expired: 'warning',
}

export function UserState({ state }: { state: EndUserView['state'] }) {
  const { t } = useTranslation('end-users')
  return <StatusTag kind={KIND[state]}>{t(`states.${state}`)}</StatusTag>
}
