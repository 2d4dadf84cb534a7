#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes weather.csv: a year of hourly weather of a temperate climate, made up, the same at every run.

Seasons and days are sines; fronts pass in irregular intervals; clouds take a part of the sun.
"""
import math
import pathlib
import random

random.seed(2004)
fronts, clouds = 0.0, 0.5
lines = ["time,T_out [degC],sun [W/m2]"]
for hour in range(8761):
    day = hour / 24
    season = math.cos(2 * math.pi * (day - 20) / 365)
    fronts += -fronts / 72 + random.gauss(0, 0.45)
    clouds = min(1, max(0, clouds + random.gauss(0, 0.06) + (0.5 - clouds) / 60))
    declination = math.radians(-23.45 * math.cos(2 * math.pi * (day + 10) / 365))
    latitude, angle = math.radians(51), 2 * math.pi * (hour % 24 - 12) / 24
    height = math.sin(latitude) * math.sin(declination) + math.cos(latitude) * math.cos(declination) * math.cos(angle)
    sun = max(0, height) ** 1.15 * 1000 * (1 - 0.75 * clouds)
    swing = (3 + 4 * (1 - clouds)) * (0.5 - 0.35 * season)
    temperature = 9 - 9.5 * season + fronts + swing * math.cos(2 * math.pi * (hour % 24 - 15) / 24)
    lines.append(f"{hour * 3600},{temperature:.1f},{sun:.0f}")
pathlib.Path(__file__).with_name("weather.csv").write_text("\n".join(lines) + "\n")
