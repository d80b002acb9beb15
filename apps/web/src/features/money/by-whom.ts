/** The name of the person who made a movement or an event; the platform's own work has a name of its own (`system:orders`). */
export const byWhom = (name: string, system: string): string => (name && !name.startsWith('system:') ? name : system)
