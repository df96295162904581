"""errand for Conan 2, from this checkout: conan create packaging/conan --build=missing"""
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.scm import Version


class ErrandConan(ConanFile):
    name = "errand"
    version = "0.9.0"
    license = "MIT"
    description = "A C++20 coroutine task queue"
    topics = ("coroutines", "task-queue", "background-jobs", "redis", "sqlite")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cli": [True, False], "postgres": [True, False], "mysql": [True, False]}
    default_options = {"cli": False, "postgres": False, "mysql": False, "boost/*:header_only": True}

    def export_sources(self):
        checkout = os.path.join(self.recipe_folder, "..", "..")
        for folder in ("cmake", "console", "include", "src", "packaging"):
            copy(self, "*", os.path.join(checkout, folder), os.path.join(self.export_sources_folder, folder))
        for file in ("CMakeLists.txt", "LICENSE", "CHANGELOG.md"):
            copy(self, file, checkout, self.export_sources_folder)

    def configure(self):
        # Boost.MySQL calls Boost.Charconv, which is compiled.
        if self.options.mysql:
            self.options["boost"].header_only = False

    def requirements(self):
        # Public headers include those of Boost and spdlog.
        self.requires("boost/[>=1.91]", transitive_headers=True)
        self.requires("spdlog/[>=1.10 <2]", transitive_headers=True)
        self.requires("openssl/[>=3 <4]")
        self.requires("sqlite3/[>=3.40 <4]")
        if self.options.cli:
            self.requires("cli11/[>=2.3 <3]")
        if self.options.postgres:
            self.requires("libpq/[>=15]")

    def validate(self):
        check_min_cppstd(self, 20)
        compiler, version = str(self.settings.compiler), Version(self.settings.compiler.version)
        if compiler == "gcc" and version < "14" or compiler == "clang" and version < "19":
            raise ConanInvalidConfiguration("errand needs GCC 14 or clang 19")
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("errand is for Linux")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables["ERRAND_" + option] = False
        for option in ("cli", "postgres", "mysql"):
            toolchain.cache_variables["ERRAND_" + option.upper()] = bool(self.options.get_safe(option))
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # errand's own package files know its targets, errand_handlers among them.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "errand")]
        self.cpp_info.libs = ["errand"]
