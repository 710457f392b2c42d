using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Tests.Session;

internal sealed class StatementErrorsTests
{
    // The translations of PostgreSQL 15.
    [TestCase(null)]
    [TestCase("")]
    [TestCase("unnamed portal parameter $1")]
    [TestCase("unnamed portal parameter $12 = '(7,\"a\")'")]
    [TestCase("unbenanntes Portal Parameter $1")]
    [TestCase("paramètre de portail non nommé $1")]
    [TestCase("無名ポータルパラメータ $1")]
    [TestCase("უსახელო პორტალის პარამეტრი $1")]
    [TestCase("이름없는 포탈 $1 매개 변수 = '7'")]
    [TestCase("неименованный портал, параметр $1 = '7'")]
    public void The_context_of_a_parameter_says_that_no_function_raised_the_error(string? context) =>
        Assert.That(StatementErrors.MayComeFromFunction(new ServerErrorFields { Where = context }), Is.False);

    [TestCase("PL/pgSQL function f(integer) line 3 at RAISE")]
    [TestCase("PL/pgSQL function f$1(integer) line 3 at RAISE")]
    [TestCase("PL/pgSQL function \"f $1\"(integer) line 3 at RAISE")]
    [TestCase("PL/pgSQL-Funktion $1(integer) Zeile 3 bei RAISE")]
    [TestCase("SQL function \"f $1\" during inlining")]
    [TestCase("fonction SQL « f $1 » durant « inlining »")]
    [TestCase("SQL関数\"$1\"のインライン化処理中")]
    [TestCase("PL/pgSQL function d(integer) line 1 at RAISE\nunnamed portal parameter $1 = '7'")]
    [TestCase("portal sin nombre, parámetro 1", Description = "not known to be a parameter's")]
    public void Any_other_context_may_be_of_a_function(string context) =>
        Assert.That(StatementErrors.MayComeFromFunction(new ServerErrorFields { Where = context }), Is.True);
}
