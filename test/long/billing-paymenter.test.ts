import { everyFault } from '../billing/every-fault.ts'

everyFault('paymenter')
