from hypothesis import settings

# A machine that is busy with the other tests says nothing about one example.
settings.register_profile("protocol", deadline=None)
settings.load_profile("protocol")
