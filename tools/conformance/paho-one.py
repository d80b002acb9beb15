"""Runs one test of the Eclipse Paho interoperability suite: paho-one.py 3|5 HOST PORT TEST

PAHO_DIR is the suite's folder `interoperability`. The suite reads its own options from the command line and leaves them
there for unittest, so its module is set up here instead.
"""
import logging
import os
import sys
import unittest

version, host, port, name = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
suite = os.environ["PAHO_DIR"]
sys.path.insert(0, suite)
os.chdir(suite)
logging.getLogger().setLevel(logging.ERROR)
module = __import__("client_test5" if version == "5" else "client_test")
prefix = "client_test5/" if version == "5" else ""
module.host, module.port, module.topic_prefix = host, port, prefix
module.topics = [prefix + t for t in ["TopicA", "TopicA/B", "Topic/C", "TopicA/C", "/TopicA"]]
module.wildtopics = [prefix + t for t in ["TopicA/+", "+/C", "#", "/#", "/+", "+/+", "TopicA/#"]]
module.nosubscribe_topics = ("test/nosubscribe",)
tests = unittest.defaultTestLoader.loadTestsFromName("Test." + name, module)
result = unittest.TextTestRunner(verbosity=0).run(tests)
# unittest counts a test whose class could not be set up as not run at all
sys.exit(0 if result.wasSuccessful() and result.testsRun == 1 else 1)
