import type { ModuleFacts } from './module.ts'

/** SIM cards that the platform sells: orders, shipping, renewals, the operator's stock. */
export const cardOrdersModule = {
  pages: {
    '/cost/account/cardBuy': ['finance'],
    '/cost/account/cardInfo': ['finance'],
  },
  errors: {
    'card_order.not_found': 404,
    'card_order.form': 422,
    'card_order.not_a_card': 422,
    'card_order.details_missing': 422,
    'card_order.no_cards': 422,
    'card_order.card_unknown': 422,
    'card_order.card_not_sold': 422,
    'card_order.plan_of_other_carrier': 422,
    'card_order.range_backwards': 422,
    'card_order.range_count': 409,
    'card_order.range_not_free': 409,
    'card_order.range_unfit': 409,
    'card_order.card_elsewhere': 409,
    'card_source.not_found': 404,
    'card_source.name_taken': 409,
    'card_source.secret_missing': 422,
    'card_stock.not_found': 404,
    'card_stock.shipped': 409,
  },
} as const satisfies ModuleFacts
