import { everyFault } from '../billing/every-fault.ts'

everyFault('blesta')
