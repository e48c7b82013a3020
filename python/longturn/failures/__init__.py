"""When the model says no: what a refusal means, whatever SDK brings it."""
