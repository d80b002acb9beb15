import type { ApiKeyView } from '@thingwright/contracts/developer.contract'
import { useTranslation } from 'react-i18next'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'

const KIND: Record<ApiKeyView['state'], StatusKind> = {
  active: 'success',
  expired: 'error',
  revoked: 'disabled',
  maker_frozen: 'warning',
  maker_left: 'warning',
}

/** Whether a key works, and if not, why. */
export function KeyState({ apiKey }: { apiKey: ApiKeyView }) {
  const { t } = useTranslation('developer')
  return (
    <StatusTag kind={KIND[apiKey.state]} title={t(`keys.stateText.${apiKey.state}`)}>
      {t(`keys.state.${apiKey.state}`)}
    </StatusTag>
  )
}

/** It is taken by the server, now or again after a rotation of who answers for it. */
export const isOver = (apiKey: ApiKeyView): boolean => apiKey.state === 'revoked' || apiKey.state === 'expired'
